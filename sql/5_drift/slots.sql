-- drift_days -> drift_slots: every quarter of an hour of the days under test, so that an event finds its day by one integer.
-- In:   drift_days(day_no, start_at, end_at): start_at <= timestamp < end_at, days never overlap
-- Out:  drift_slots; drift_wanted(day_no): the days that are summed, here all of them
-- Key:  drift_slots (slot, day_no): a quarter that two days share (a window's edge at 12:05) is told apart by start_at and end_at
create or replace table drift_slots as
select day_no, start_at, end_at, slot, slot // 4 as h, extract(hour from to_timestamp(slot // 4 * 3600) at time zone opt_timezone())::integer as hour_of_day
from (select *, unnest(range(epoch_us(start_at) // 900000000, (epoch_us(end_at) - 1) // 900000000 + 1)) as slot from drift_days);

create or replace table drift_wanted as select day_no from drift_days;
