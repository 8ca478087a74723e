-- events -> events: few events as a table, in the place of the view. Later statements bind its columns, not the views and macros behind
-- the view: for a small log that binding is most of the time.
-- In:   events (view) · Out: events (table), events_seen (the view)
alter view events rename to events_seen;
create or replace table events as from events_seen;
