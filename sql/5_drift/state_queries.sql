-- drift_events -> state_queries: how often each query was asked, labelled or not, and in how many hours; merges by SUM over days.
-- In:   drift_events
-- Key:  (day_no, query)
-- n_hours, not n, is what unseen.sql counts: retries of one session are one visit, not several
create or replace table state_queries as
select day_no, query, sum(n)::bigint as n, count(*) as n_hours
from (select day_no, h, drift_query(query_id, query_text, event_id) as query, count(*) as n from drift_events group by all)
group by all;
