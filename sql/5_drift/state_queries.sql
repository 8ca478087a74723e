-- drift_events -> state_query_hours: how often each query was asked in an hour, labelled or not; merges by SUM.
-- In:   drift_events
-- Key:  (day_no, h, query)
create or replace table state_query_hours as
select day_no, h, drift_query(query_id, query_text, event_id) as query, count(*) as n from drift_events group by all;
