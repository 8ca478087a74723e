-- raw_flat -> flat_facts: one look at a typed log before anything is made of it; one row of counts.
-- In:   raw_flat (see flat.sql); fact_whole_lists(), fact_whole_texts(): the files' own statistics already rule out null and empty lists · Out: how many records need a repair, are rejects, lack something
create or replace table flat_facts as
select count(*) as n_records,
    count(*) filter (not fact_whole_lists() and ranked_ids is null) as n_missing_ids,
    count(*) filter (not fact_whole_lists() and not fact_whole_texts() and ranked_ids is null) as n_maybe_without_list,
    fact_whole_texts()::integer as has_whole_texts,
    count(*) filter (problem is not null or is_lost_time("timestamp", timestamp_text)) as n_problems,
    count(*) filter (status is not null or error is not null) as n_status,
    count(*) filter (is_broken(total_ms) or has_broken_stage(stage_ms)) as n_broken_time,
    count(*) filter (is_broken(cost_usd) or is_broken(input_tokens) or is_broken(output_tokens)) as n_broken_cost,
    count(*) filter (list_contains(flags, 'folder_disagrees')) as n_folder_disagrees,
    count(*) filter (not fact_whole_lists() and len(ranked_ids) = 0) as n_empty,
    count(*) filter (not fact_whole_lists() and len(ranked_ids) > 0 and list_count(ranked_ids) = 0) as n_unscorable,
    count(*) filter (not fact_whole_lists() and list_count(ranked_ids) < len(ranked_ids)) as n_null_ids
from raw_flat;
