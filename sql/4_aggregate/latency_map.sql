-- latency_values, keyed -> latency_map: how many values fell in each log bucket (and day) and in each hour; merges by SUM, MIN, MAX.
-- Key:  (window_start, slice_no, stage, is_hit, bucket, day_no, hour_no): hour_no null = bucket rows, bucket null = hour rows
-- day_no: UTC days since 1970, where a group may be so long that its blocks of time are days (latency_interval.sql); else null
create or replace table latency_map as
select window_start, slice_no, stage, is_hit, latency_bucket(ms) as bucket, if(some_long_group(), hour_no // 24, null)::bigint as day_no,
    null::bigint as hour_no, count(*) as n, min(ms) as lo, max(ms) as hi, exact_amount(ms) as sum_ms
from latency_values group by all;

-- a stage that every event has has the hours of the events: its times are not unfolded a second time
create or replace table latency_hours as
select window_start, slice_no, coalesce(cache_hit, false) as is_hit, hour_no("timestamp") as hour_no, count(*) as n from keyed group by all;
create or replace table latency_stages as
select s.* exclude (n), s.n = e.n as is_whole
from (select window_start, slice_no, is_hit, stage, sum(n) as n from latency_map group by all) as s
inner join (select window_start, slice_no, is_hit, sum(n) as n from latency_hours group by all) as e
    on e.window_start is not distinct from s.window_start and e.slice_no = s.slice_no and e.is_hit = s.is_hit;

insert into latency_map
select s.window_start, s.slice_no, s.stage, s.is_hit, null, null, h.hour_no, h.n, null, null, null
from latency_stages as s inner join latency_hours as h
    on h.window_start is not distinct from s.window_start and h.slice_no = s.slice_no and h.is_hit = s.is_hit
where s.is_whole
union all
select v.window_start, v.slice_no, v.stage, v.is_hit, null, null, v.hour_no, count(*), null, null, null
from latency_values as v inner join latency_stages as s
    on s.window_start is not distinct from v.window_start and s.slice_no = v.slice_no and s.is_hit = v.is_hit and s.stage = v.stage
where not s.is_whole group by all;
