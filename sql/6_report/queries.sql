-- quality_sums, recalls -> queries: each labelled query's values, the relevant ids it missed and the ranks of those it found.
-- Key: query (tenant, query id or text), over the whole span. pull: how much it lowers the mean of the first recall column
create or replace view queries as
with
n_queries as (select label_no, max(n) as n from quality_long where window_start = '-infinity' and segment_no = 0 group by label_no),
means as (
    select label_no, map_from_entries(list({'key': c.metric || coalesce('@' || c.k, ''), 'value': total::double / l.n} order by l.position)) as "values"
    from quality_long as l inner join metric_columns as c using (position)
    where l.window_start = '-infinity' and l.segment_no = 0 and l.n > 0 group by label_no
),
best as (select label_no, document_id, min(best_rank) as rank, sum(n_found)::bigint as n_found from found_documents group by all),
documents as (
    select q.label_no,
        list({'document_id': d.document_id, 'rank': b.rank, 'n_found': b.n_found} order by b.rank, d.document_id) filter (b.rank is not null and d.is_relevant) as found,
        list(d.document_id order by d.document_id) filter (b.rank is null and d.is_relevant) as missed_ids
    from (select label_no, unnest(label.documents) as d from labelled_queries) as q
    left join best as b on b.label_no = q.label_no and b.document_id = d.document_id
    group by q.label_no
)
select q.label_no, q.tenant_id, q.query_id, q.query_text, q.query_class, n.n, q.label.n_relevant as n_relevant, m."values",
    coalesce(d.missed_ids, []) as missed_ids, coalesce(d.found, []) as found, coalesce(t.trace_ids, []) as trace_ids, coalesce(t.event_ids, []) as event_ids
from labelled_queries as q inner join n_queries as n using (label_no)
left join means as m using (label_no) left join documents as d using (label_no) left join query_examples as t using (label_no)
order by q.label_no;
