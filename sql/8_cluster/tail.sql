-- latency_values -> tail_values: a task's measured times that decide a percentile or its interval.
-- In:   latency_values and segments of the task, latency_ranges as the merged histogram asks (4_aggregate/latency.sql)
create or replace view tail_values as
select v.*
from latency_values as v inner join latency_ranges as r using (window_start, stage, is_hit)
where decides(ms, r.least_p95, r.open_lo, r.open_hi);
