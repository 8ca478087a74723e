-- compare_events -> compare_times, arm_times, arm_minutes: the times that are compared, by query and by minute.
-- In:   compare_events (recalls with column arm)
-- Out:  stage: null = the total; log_ms: sum of the natural logs of ms, which a mean of ratios wants, in units of 2^-62; minute: minutes since 1970
-- Key:  arm_times (arm, query, stage) · arm_minutes (arm, minute, stage, query_class)
-- Edge: failed recalls and cache hits are not compared, nor times of 0, which have no logarithm · recalls without a time of day are in no minute
create or replace view compare_times as
select arm, coalesce(query_id, normal_text(query_text)) as query, query_class, epoch_us("timestamp") // 60000000 as minute, t.stage, t.ms
from (
    select arm, query_id, query_text, query_class, "timestamp",
        unnest([{'stage': null::varchar, 'ms': total_ms}] || coalesce(list_transform(map_entries(stage_ms), lambda e: {'stage': e.key, 'ms': e.value}), [])) as t
    from compare_events where status <> 'error' and not coalesce(cache_hit, false) and coalesce(query_id, query_text) is not null
)
where t.ms > 0 and t.stage is distinct from 'total';

create or replace table arm_times as
select arm, query, stage, count(*) as n, sum(in_wide_units(ln(ms))) as log_ms from compare_times group by all;

create or replace table arm_minutes as
select arm, minute, query_class, stage, count(*) as n, sum(in_wide_units(ln(ms)))::decimal(38, 0) as log_ms from compare_times where minute is not null group by all;
