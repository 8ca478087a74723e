-- state_latency, state_query_hours -> what the tests read of them by day: a day's hours together, and each stage by the hour.
-- In:   the two tables of state_hours.sql
-- Key:  state_stages (day_no, h, stage) · state_buckets (day_no, stage, query_class, bucket)
--       · state_queries (day_no, query): n_hours, not n, is what unseen.sql counts: retries of one session are one visit, not several
-- h:    of a row that stands for a day: its first hour with events, so that a kept row finds its day as an hour does
create or replace table state_stages as
select day_no, h, stage, sum(n)::bigint as n, sum(n_good)::bigint as n_good, sum(sum_ms) as sum_ms
from state_latency group by all;

create or replace table state_buckets as
select day_no, min(h) as h, stage, query_class, bucket, sum(n)::bigint as n
from state_latency group by day_no, stage, query_class, bucket;

create or replace table state_queries as
select day_no, min(h) as h, query, sum(n)::bigint as n, count(*) as n_hours from state_query_hours group by day_no, query;
