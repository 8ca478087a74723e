-- utc_day(timestamp): the UTC day as text, 'none' where there is no timestamp; whatever the reader's own time zone is.
create or replace macro utc_day(moment) as coalesce(((moment at time zone 'UTC')::date)::varchar, 'none');
-- day_key(timestamp): the same day as a key that costs little per event: microseconds at its start, as text
create or replace macro day_key(moment) as if(isfinite(moment), epoch_us(cut_to(moment, 86400000000))::varchar, utc_day(moment));
