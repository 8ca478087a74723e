-- labels -> qrels_counts: what a qrels file holds, one row.
-- In:   labels (contract.labels) of a TREC or BEIR file
-- Edge: a query whose every grade is 0 or less has nothing relevant: not scored
create or replace view qrels_counts as
with questions as (
    select query_id, bool_or(document_id is not null and coalesce(grade, 1) > 0) as has_relevant, count(query_text) > 0 as has_text from labels group by query_id
)
select count(*) as questions, count(*) filter (has_relevant) as with_evidence, 0::bigint as abstention, count(*) filter (has_relevant) as scored,
    (select count(*) from labels) as "references",
    (select count(*) from labels) - (select count(*) from (select distinct query_id, document_id from labels)) as repeated_references,
    count(*) filter (not has_text) as without_text
from questions;
