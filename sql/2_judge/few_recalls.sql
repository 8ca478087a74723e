-- recalls -> recalls: few recalls held as a table. Later statements bind its columns, not the views and macros behind them:
-- for a small log that binding is most of the time.
-- In:   recalls (view) · Out: few_recalls (table), recalls (view of it)
create or replace table few_recalls as from recalls;
create or replace view recalls as from few_recalls;
