-- window_of(timestamp): start of the window an event falls in, in the named zone; -infinity = no windows.
-- (-infinity and not null, so that windows join by plain equality; outputs show it as null)
-- Edge: no time -> null: in no window, and in the sums over everything (read-outs leave it out of their windows)
--       | an hour is cut by the zone's own minutes, so the doubled hour in autumn stays two windows
--       | clocks that go back over midnight: a date begins once, at its first midnight (opt_odd_dates, opt_odd_midnights)
-- In UTC, days and hours are cut on the number of microseconds: seventeen times faster than by way of a zone
create or replace macro cut_to(moment, us) as
    if(isfinite(moment), make_timestamptz(epoch_us(moment) - ((epoch_us(moment) % us) + us) % us), moment);
-- zone_date(timestamp): its date in the zone
create or replace macro zone_date(moment) as if(len(opt_odd_dates()) = 0, (moment at time zone opt_timezone())::date,
    coalesce(list_filter(opt_odd_dates(), lambda o: epoch_us(moment) >= o.from_us and epoch_us(moment) < o.to_us)[1].date::date,
        (moment at time zone opt_timezone())::date));
-- midnight_of(date): the moment it begins
create or replace macro midnight_of(day) as if(cardinality(opt_odd_midnights()) = 0, day::timestamp at time zone opt_timezone(),
    coalesce(make_timestamptz(opt_odd_midnights()[day::date::varchar]), day::timestamp at time zone opt_timezone()));
create or replace macro window_of(moment) as case
    when opt_window() is null then '-infinity'::timestamptz
    when opt_timezone() = 'UTC' and opt_window() = 'hour' then cut_to(moment, 3600000000)
    when opt_timezone() = 'UTC' and opt_window() = 'day' then cut_to(moment, 86400000000)
    when opt_window() = 'hour' then moment - ((moment at time zone opt_timezone()) - date_trunc('hour', moment at time zone opt_timezone()))
    when not isfinite(moment) then moment
    else midnight_of(date_trunc(coalesce(opt_window(), 'day'), zone_date(moment))) end;
