-- events -> events: few events held as a table. Later statements bind its columns, not the views and macros behind them:
-- for a small log that binding is most of the time.
-- In:   events (view) · Out: few_events (table), events (view of it)
create or replace table few_events as from events;
create or replace view events as from few_events;
