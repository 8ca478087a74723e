-- judged_events -> found_sums (map: per query and relevant document, how often it came back, its ranks; merges by SUM, MIN, MAX)
--        and example_sums: up to three event and trace ids a query, the smallest ones (merges by taking the smallest again).
-- In:   judged_events · Key: (slice_no, label_no, document_id) and (slice_no, label_no)
create or replace table found_sums as
select slice_no, label_no, f.document_id as document_id, count(*) as n_found, min(f.rank) as best_rank, max(f.rank) as worst_rank, sum(f.rank)::bigint as sum_rank
from (select slice_no, label_no, unnest(found) as f from judged_events)
group by all;

create or replace table example_sums as
select slice_no, label_no, min(trace_id, 3) as trace_ids, min(event_id, 3) as event_ids
from judged_events group by slice_no, label_no;
