-- recalls -> compare_rankings: one ranking and the log of the total time per arm and query; compare_stages: the stages' times.
-- In:   recalls with column arm (view compare_events)
--       compare_counts: recalls of each arm, failed ones, empty lists, times and times of 0
-- Out:  log_ms: sum of the natural logs of ms, in units of 2^-62
-- Key:  compare_rankings (arm, query): the ranking of the query's first recall (by time, then event_id)
--       compare_stages (arm, query, stage) · compare_counts (arm)
create or replace table compare_rankings as
select arm, coalesce(query_id, normal_text(query_text)) as query, count(*) as n,
    arg_min(judged_ids, ("timestamp", event_id)) as ids, min(normal_text(query_text)) as query_text,
    count(total_ms) filter (total_ms > 0 and not coalesce(cache_hit, false)) as n_ms, sum(in_wide_units(ln(if(total_ms > 0, total_ms, null)))) filter (not coalesce(cache_hit, false)) as log_ms
from compare_events where coalesce(query_id, query_text) is not null and status <> 'error'
group by all
order by all;

-- the stages' times of cache misses without error, as the logs of ms that a mean of ratios wants; a time of 0 has no logarithm
create or replace table compare_stages as
select arm, query, stage, count(*) as n, sum(in_wide_units(ln(ms))) as log_ms
from (
    select arm, coalesce(query_id, normal_text(query_text)) as query, e.key as stage, e.value as ms
    from (select *, unnest(map_entries(stage_ms)) as e from compare_events where status <> 'error' and not coalesce(cache_hit, false))
)
where ms > 0 and query is not null and stage <> 'total'
group by all;

create or replace table compare_counts as
select arm, count(*) as n_recalls, count(*) filter (status = 'error') as n_error,
    count(*) filter (status <> 'error' and len(judged_ids) = 0) as n_empty,
    count(total_ms) as n_ms, count(*) filter (total_ms = 0) as n_zero_ms
from compare_events
group by all
order by all;
