-- recalls x drift_days -> drift_events: the events of the windows under test, with their day and hour.
-- In:   recalls (2_judge/recalls.sql); drift_days(day_no, start_at, end_at): start_at <= timestamp < end_at, days never overlap
-- Out:  drift_slots: every quarter of an hour of the days, so that an event finds its day by one integer;
--       drift_events: all columns of recalls, and day_no, h (hours since 1970 UTC), is_error, is_hit
--       drift_wanted(day_no): the days that are summed, here all of them
-- Key:  drift_slots (slot, day_no): a quarter that two days share (a window's edge at 12:05) is told apart by start_at and end_at
create or replace table drift_slots as
select day_no, start_at, end_at, slot, slot // 4 as h, extract(hour from to_timestamp(slot // 4 * 3600) at time zone opt_timezone())::integer as hour_of_day
from (select *, unnest(range(epoch_us(start_at) // 900000000, (epoch_us(end_at) - 1) // 900000000 + 1)) as slot from drift_days);

create or replace table drift_wanted as select day_no from drift_days;

create or replace view drift_events as
select r.*, d.day_no, d.h, d.hour_of_day, r.status = 'error' as is_error, coalesce(r.cache_hit, false) as is_hit
from recalls as r inner join drift_slots as d
    on d.slot = epoch_us(r."timestamp") // 900000000 and r."timestamp" >= d.start_at and r."timestamp" < d.end_at;
