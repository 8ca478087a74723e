-- compare_events -> compare_rankings: one ranking per arm and query; compare_counts: recalls of each arm, failed ones, empty lists, times and times of 0.
-- In:   compare_events (recalls with column arm)
-- Key:  compare_rankings (arm, query): the ranking of the query's first recall (by time, then event_id) · compare_counts (arm)
create or replace table compare_rankings as
select arm, coalesce(query_id, normal_text(query_text)) as query, count(*) as n,
    arg_min(judged_ids, ("timestamp", event_id)) as ids, min(normal_text(query_text)) as query_text
from compare_events where coalesce(query_id, query_text) is not null and status <> 'error'
group by all
order by all;

create or replace table compare_counts as
select arm, count(*) as n_recalls, count(*) filter (status = 'error') as n_error,
    count(*) filter (status <> 'error' and len(judged_ids) = 0) as n_empty,
    count(total_ms) as n_ms, count(*) filter (total_ms = 0) as n_zero_ms
from compare_events
group by all
order by all;
