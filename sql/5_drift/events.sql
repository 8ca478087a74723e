-- recalls x drift_days -> drift_events: the events of the windows under test, with their day and hour.
-- In:   recalls (2_judge/recalls.sql); drift_days(day_no, day_at, start_at, end_at): start_at <= timestamp < end_at,
--       day_at = window_of(timestamp) with opt_window() = 'day' in opt_timezone()
-- Out:  all columns of recalls, and day_no, h (UTC hour), is_error, is_hit
-- Key:  the event's; windows never overlap
create or replace view drift_events as
select r.*, d.day_no, date_trunc('hour', r."timestamp") as h, r.status = 'error' as is_error, coalesce(r.cache_hit, false) as is_hit
from recalls as r inner join drift_days as d
    on d.day_at = window_of(r."timestamp") and r."timestamp" >= d.start_at and r."timestamp" < d.end_at;
