-- drift_times x drift_thresholds x drift_wanted -> state_exceed: the second pass, how many values lie above the pooled quantiles; merges by SUM.
--       A value in the quantile's own bucket counts half (equal values are split by no clock), so n_p50 and n_p95 count halves: 2 above, 1 in it
-- In:   drift_times; drift_thresholds(stage, place, bucket): place 1 = p50, 2 = p95; drift_wanted(day_no): the days that are looked at
-- Key:  (day_no, h, cluster, query_class, stage)
create or replace table state_exceed as
select t.day_no, t.h, drift_cluster(drift_query(t.query_id, t.query_text, t.event_id)) as cluster, t.query_class, t.stage,
    count(*) as n, sum(1 + sign(drift_bucket(t.ms) - p.low))::bigint as n_p50, sum(1 + sign(drift_bucket(t.ms) - p.high))::bigint as n_p95
from drift_times as t
inner join (select stage, max(bucket) filter (place = 1) as low, max(bucket) filter (place = 2) as high from drift_thresholds group by stage) as p using (stage)
where t.day_no in (select day_no from drift_wanted)
group by all;
