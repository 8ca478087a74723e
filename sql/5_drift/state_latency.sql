-- drift_events -> state_latency: log buckets per stage, class and hour, and state_stages: counts and sums. Cache misses only.
-- In:   drift_events · stage values are ms, finite and >= 0 (1_normalise sees to it); stage `total` = total_ms
-- Key:  state_latency (day_no, h, stage, query_class, bucket) · state_stages (day_no, h, stage); both merge by SUM
-- n_good: values of events without error, so that n_timed - n_good is how often the stage's time is missing
create or replace view drift_times as
select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, e.key as stage, e.value as ms
from (select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, unnest(map_entries(stage_ms)) as e from drift_events where not is_hit)
where e.key <> 'total' and e.value is not null
union all
select day_no, h, hour_of_day, query_class, query_id, query_text, event_id, trace_id, is_error, 'total', coalesce(total_ms, stage_ms['total'])
from drift_events where not is_hit and coalesce(total_ms, stage_ms['total']) is not null;

create or replace table state_latency as
select day_no, h, stage, query_class, drift_bucket(ms) as bucket, count(*) as n, count(*) filter (not is_error) as n_good, exact_amount(ms) as sum_ms
from drift_times group by all;

create or replace table state_stages as
select day_no, h, stage, sum(n)::bigint as n, sum(n_good)::bigint as n_good, sum(sum_ms) as sum_ms
from state_latency group by all;

-- what the tests read of it: the hours of a day together
create or replace view drift_day_buckets as
select day_no, stage, query_class, bucket, sum(n)::bigint as n
from state_latency where bucket > -100000 group by all order by day_no, stage, query_class, bucket;
