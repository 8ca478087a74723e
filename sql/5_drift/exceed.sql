-- drift_times x drift_thresholds -> state_exceed: the second pass, how many values lie above the pooled quantiles.
-- In:   drift_times; drift_thresholds(stage, place, bucket): place 1 = p50, 2 = p95; drift_sides(day_no, side)
-- Key:  (side, cluster, query_class, hour, stage); hour = hour of day in opt_timezone(), 0..23; merges by SUM
create or replace table state_exceed as
select s.side, drift_cluster(drift_query(t.query_id, t.query_text, t.event_id)) as cluster, t.query_class,
    t.hour_of_day as hour, t.stage,
    count(*) as n, count(*) filter (drift_bucket(t.ms) > p.low) as n_p50, count(*) filter (drift_bucket(t.ms) > p.high) as n_p95
from drift_times as t
inner join drift_sides as s using (day_no)
inner join (select stage, max(bucket) filter (place = 1) as low, max(bucket) filter (place = 2) as high from drift_thresholds group by stage) as p using (stage)
where drift_bucket(t.ms) > -100000
group by all
order by all;
