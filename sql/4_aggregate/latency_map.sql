-- latency_values -> latency_map: how many values fell in each log bucket (and day) and in each hour; merges by SUM, MIN, MAX.
-- Key:  (window_start, slice_no, stage, is_hit, bucket, day_no, hour_no): hour_no null = bucket rows, bucket null = hour rows
-- day_no: UTC days since 1970, where a group may be so long that its blocks of time are days (latency_interval.sql); else null
create or replace table latency_map as
select window_start, slice_no, stage, is_hit, latency_bucket(ms) as bucket, if(some_long_group(), hour_no // 24, null)::bigint as day_no,
    null::bigint as hour_no, count(*) as n, min(ms) as lo, max(ms) as hi, exact_amount(ms) as sum_ms
from latency_values group by all
union all  -- two plain groupings run on all cores, grouping sets on one
select window_start, slice_no, stage, is_hit, null, null, hour_no, count(*), null, null, null
from latency_values group by all;
