-- recalls x drift_slots -> drift_events: the events of the days under test, with their day and hour.
-- In:   recalls (2_judge/recalls.sql), drift_slots (slots.sql)
-- Out:  all columns of recalls, and day_no, h (hours since 1970 UTC), hour_of_day, is_error, is_hit
create or replace view drift_events as
select r.*, d.day_no, d.h, d.hour_of_day, r.status = 'error' as is_error, coalesce(r.cache_hit, false) as is_hit
from recalls as r inner join drift_slots as d
    on d.slot = epoch_us(r."timestamp") // 900000000 and r."timestamp" >= d.start_at and r."timestamp" < d.end_at;
