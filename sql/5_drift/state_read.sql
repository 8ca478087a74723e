-- state_events, state_latency, state_query_hours -> what the tests read of them.
-- In:   the three tables, made of events (state_*.sql) or of a store's days (state_kept.sql)
-- Key:  state_stages (day_no, h, stage) · state_queries (day_no, query): n_hours, not n, is what unseen.sql counts: retries of one session
--       are one visit, not several · drift_day_buckets (day_no, stage, query_class, bucket): the hours of a day together
--       · drift_hours: state_events in the order of its key
create or replace table state_stages as
select day_no, h, stage, sum(n)::bigint as n, sum(n_good)::bigint as n_good, sum(sum_ms) as sum_ms
from state_latency group by all;

create or replace table state_queries as
select day_no, query, sum(n)::bigint as n, count(*) as n_hours from state_query_hours group by all;

create or replace view drift_day_buckets as
select day_no, stage, query_class, bucket, sum(n)::bigint as n
from state_latency where bucket > -100000 group by all order by day_no, stage, query_class, bucket;

create or replace view drift_hours as
select * exclude (h, last_at), h as hour, extract(hour from to_timestamp(h * 3600) at time zone opt_timezone())::integer as hour_of_day, epoch_us(last_at) as last_us
from state_events order by day_no, h, query_class, tenant_id, variant, index_version;
