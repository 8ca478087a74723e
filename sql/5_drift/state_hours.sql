-- drift_times, drift_events x drift_wanted -> state_latency, state_query_hours: times and queries by the hour; merge by SUM.
-- In:   drift_times, drift_events, drift_wanted(day_no): the days that are summed
-- Key:  state_latency (day_no, h, stage, query_class, bucket): log buckets, counts and sums; n_good: values of events without error,
--       so that n_timed - n_good is how often the stage's time is missing
--       state_query_hours (day_no, h, query): how often each query was asked in an hour, labelled or not
create or replace table state_latency as
select day_no, h, stage, query_class, drift_bucket(ms) as bucket, count(*) as n, count(*) filter (not is_error) as n_good, exact_amount(ms) as sum_ms
from drift_times where day_no in (select day_no from drift_wanted) group by all;

create or replace table state_query_hours as
select day_no, h, drift_query(query_id, query_text, event_id) as query, count(*) as n
from drift_events where day_no in (select day_no from drift_wanted) group by all;
