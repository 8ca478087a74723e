-- drift_times -> state_latency: log buckets, counts and sums per stage, class and hour.
-- In:   drift_times
-- Key:  (day_no, h, stage, query_class, bucket); merges by SUM
-- n_good: values of events without error, so that n_timed - n_good is how often the stage's time is missing
create or replace table state_latency as
select day_no, h, stage, query_class, drift_bucket(ms) as bucket, count(*) as n, count(*) filter (not is_error) as n_good, exact_amount(ms) as sum_ms
from drift_times group by all;
