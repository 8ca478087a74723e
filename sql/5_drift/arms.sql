-- recalls -> compare_arms: exact sums per arm and query, and one ranking of each; compare_lists: how alike two rankings are.
-- In:   recalls with column arm (view compare_events), compare_values(judged …) made by the caller from the metric macros
-- Key:  compare_rankings (arm, query): the ranking of the query's first recall (by time, then event_id)
create or replace table compare_rankings as
select arm, coalesce(query_id, normal_text(query_text)) as query, count(*) as n,
    arg_min(judged_ids, ("timestamp", event_id)) as ids,
    count(total_ms) filter (not coalesce(cache_hit, false)) as n_ms, sum(ln(total_ms)::decimal(38, 12)) filter (total_ms > 0 and not coalesce(cache_hit, false)) as log_ms
from compare_events where coalesce(query_id, query_text) is not null and status <> 'error'
group by all
order by all;
