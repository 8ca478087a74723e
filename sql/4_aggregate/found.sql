-- judged_events -> found_documents (map: per query and relevant document, how often it came back, its best rank; merges by SUM, MIN, MAX)
--        and query_examples: up to three event and trace ids a query, the smallest ones.
create or replace table found_documents as
select label_no, f.document_id as document_id, count(*) as n_found, min(f.rank) as best_rank, max(f.rank) as worst_rank, sum(f.rank)::bigint as sum_rank
from (select label_no, unnest(found) as f from judged_events)
group by all;

create or replace table query_examples as
select label_no, min(trace_id, 3) as trace_ids, min(event_id, 3) as event_ids
from judged_events group by label_no;
