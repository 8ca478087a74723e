-- labelled_queries, label_rows -> raw_expected_of, keeps_texts(): the expected texts of a query's documents, where relevance is told by text.
-- In:   label_rows(document_text) (2_judge/labels.sql)
-- Out:  raw_expected_of(label_no, label_from, expected_texts: json object id -> text); queries without an expected text are left out
create or replace macro keeps_texts() as true;
create or replace view raw_expected_of as
with texts as (
    select q.label_no, r.label_from, r.document_id, arg_max(r.document_text, r.tenant_id is not null) as document_text
    from labelled_queries as q inner join label_rows as r
        on r.query_key = query_key(q.query_id, q.query_text) and (r.tenant_id is null or r.tenant_id is not distinct from q.tenant_id)
    where r.document_id is not null and r.document_text is not null
    group by all
)
select label_no, label_from, to_json(map_from_entries(list({'key': document_id, 'value': document_text} order by document_id))) as expected_texts
from texts group by label_no, label_from;
