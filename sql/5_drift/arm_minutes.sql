-- compare_events -> arm_minutes: when each arm took the times that are compared
-- In:   compare_events (recalls with column arm)
-- Out:  minute: minutes since 1970; stage: null = the total; log_ms: sum of the natural logs of ms, in units of 2^-62
-- Key:  (arm, minute, stage, query_class)
-- Edge: recalls without a time of day are in no minute; failed recalls, cache hits and times of 0 are not compared
create or replace table arm_minutes as
select arm, epoch_us("timestamp") // 60000000 as minute, query_class, t.stage, count(*) as n, sum(in_wide_units(ln(t.ms)))::decimal(38, 0) as log_ms
from (
    select arm, "timestamp", query_class,
        unnest([{'stage': null::varchar, 'ms': total_ms}] || coalesce(list_transform(map_entries(stage_ms), lambda e: {'stage': e.key, 'ms': e.value}), [])) as t
    from compare_events
    where status <> 'error' and not coalesce(cache_hit, false) and "timestamp" is not null and coalesce(query_id, query_text) is not null
)
where t.ms > 0 and t.stage is distinct from 'total'
group by all
order by all;
