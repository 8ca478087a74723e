-- utc_day(timestamp): the UTC day as text, 'none' where there is no timestamp; whatever the reader's own time zone is.
create or replace macro utc_day(moment) as coalesce(((moment at time zone 'UTC')::date)::varchar, 'none');
