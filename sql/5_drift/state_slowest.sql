-- drift_times x drift_wanted -> state_slowest: the three slowest recalls of an hour (or day, drift_hour) in each stage; merges by the largest three.
-- In:   drift_times, drift_wanted(day_no): the days that are looked at
-- Key:  (day_no, h, stage) · slow = {ms, event_id, trace_id}[], slowest first
create or replace table state_slowest as
select day_no, drift_hour(h) as h, stage, max({'ms': ms, 'event_id': event_id, 'trace_id': trace_id}, 3) as slow
from drift_times where day_no in (select day_no from drift_wanted)
group by all;
