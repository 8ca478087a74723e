-- state_buckets, state_events -> what is handed to the tests, in the order of their keys.
-- In:   the tables, made of events (state_*.sql) or of what a store keeps of its days: of a day of another zone than UTC in two parts
-- Key:  drift_day_buckets (day_no, stage, query_class, bucket) · drift_hours: state_events
create or replace view drift_day_buckets as
select day_no, stage, query_class, bucket, sum(n)::bigint as n from state_buckets group by all order by day_no, stage, query_class, bucket;

create or replace view drift_hours as
select * exclude (h, first_at, last_at), h as hour, extract(hour from to_timestamp(h * 3600) at time zone opt_timezone())::integer as hour_of_day, epoch_us(first_at) as first_us, epoch_us(last_at) as last_us
from state_events order by day_no, h, query_class, tenant_id, variant, index_version;
