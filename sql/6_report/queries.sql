-- quality_long, found_documents, named_queries -> query_counts, queries: each labelled query's values, the relevant ids it missed, the ranks of those it found.
-- Key: query (tenant, query id or text), over the whole span
-- pull: by how much the query lowers the mean of the headline column (metric_columns.is_headline); null = it is in no mean
create or replace view query_counts as  -- how often each was asked: a look at this alone needs none of the joins below
select q.label_no, q.query_id, q.query_text, coalesce(e.n_events, 0)::bigint as n
from named_queries as q left join (select label_no, sum(n_events) as n_events from quality_sums group by label_no) as e using (label_no);

create or replace view queries as
with
whole as (select l.*, c.metric || coalesce('@' || c.k, '') as name, c.is_headline from quality_long as l inner join metric_columns as c using (position)
    where window_start = '-infinity' and segment_no = 0),
means as (
    select label_no, max(n) as n, map_from_entries(list({'key': name, 'value': mean_of(total, n)} order by position) filter (n > 0)) as "values" from whole group by label_no
),
pulls as (
    select w.label_no, (q.value - mean_of(w.total, w.n)) * if(opt_unit() = 'query', 1.0 / q.n_queries, w.n::double / q.n) as pull
    from whole as w inner join quality as q on q.window_start = '-infinity' and q.segment_no = 0 and q.position = w.position
    where w.is_headline and w.n > 0
),
documents as (
    select q.label_no,
        list({'document_id': d.document_id, 'rank': b.best_rank, 'n_found': b.n_found} order by b.best_rank, d.document_id) filter (b.best_rank is not null) as found,
        list(d.document_id order by d.document_id) filter (b.best_rank is null) as missed_ids
    from (select label_no, unnest(label.documents) as d from named_queries) as q
    left join found_documents as b on b.label_no = q.label_no and b.document_id = d.document_id
    where d.is_relevant
    group by q.label_no
)
select q.label_no, q.tenant_id, q.query_id, q.query_text, q.query_class, c.n, q.label.n_relevant as n_relevant, m."values",
    coalesce(d.missed_ids, []) as missed_ids, coalesce(d.found, []) as found, coalesce(t.trace_ids, []) as trace_ids, coalesce(t.event_ids, []) as event_ids, p.pull
from named_queries as q
left join means as m using (label_no)
left join pulls as p using (label_no)
left join documents as d using (label_no)
left join query_examples as t using (label_no)
left join query_counts as c using (label_no)
order by q.label_no;
