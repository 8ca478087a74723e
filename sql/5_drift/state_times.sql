-- drift_events -> drift_times: one row a stage's time, cache misses only; stage `total` = total_ms.
-- In:   drift_events · stage values are ms, finite and >= 0 (1_normalise sees to it)
-- Key:  (event, stage)
create or replace view drift_times as
select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, e.key as stage, e.value as ms
from (select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, unnest(map_entries(stage_ms)) as e from drift_events where not is_hit)
where e.key <> 'total' and e.value is not null
union all
select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, 'total', coalesce(total_ms, stage_ms['total'])
from drift_events where not is_hit and coalesce(total_ms, stage_ms['total']) is not null;
