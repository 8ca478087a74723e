-- label_rows, agreed_labels -> label_difference: how far the labels that were scored are those agreed on, one row.
-- In:   label_rows (2_judge/labels.sql), agreed_labels(query_id, query_text, document_id): the adapter's
-- Edge: compared as sets of relevant documents a query, by query_id (by text where the scored labels have no id)
--       · no document on both sides is the same
create or replace view label_difference as
with scored as (
    select coalesce(query_id, 'text:' || query_text) as query, coalesce(list(distinct document_id order by document_id) filter (document_id is not null and grade > 0), []) as ids
    from label_rows group by all
),
agreed as (
    select if((select count(query_id) from label_rows) > 0, query_id, 'text:' || normal_text(query_text)) as query,
        coalesce(list(distinct document_id order by document_id) filter (document_id is not null), []) as ids
    from agreed_labels group by all
)
select count(*) filter (s.query is null) as not_scored, count(*) filter (a.query is null) as not_agreed,
    count(*) filter (s.ids <> a.ids) as other_documents, count(*) filter (s.ids = a.ids) as same
from scored as s full join agreed as a on a.query = s.query;
