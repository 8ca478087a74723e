-- quality_sums, latency_map, latency_values, event_sums, report_spans -> the same sums with a side in place of the window.
-- In:   report_spans(side_at, start_at, end_at): side_at = the time that stands for a side (reference or current)
--       windowed_latency_values: latency_values under another name, because a view cannot replace what it reads
-- After this file 4_aggregate/quality.sql, event_groups.sql, latency.sql and latency_interval.sql read the sides out as they read windows.
-- Edge: a window in no span is left out
create or replace table levels as select * from (values (true, false), (true, true)) as t(by_window, by_segment);

create or replace macro side_at(moment) as (select any_value(s.side_at) from report_spans as s where moment >= s.start_at and moment < s.end_at);

create or replace table windowed_side as
select window_start, side_at(window_start) as side_at
from (select distinct window_start from event_sums) where side_at(window_start) is not null;

create or replace table quality_sums as
select w.side_at as window_start, q.* exclude (window_start) from quality_sums as q inner join windowed_side as w using (window_start);

create or replace table event_sums as
select w.side_at as window_start, e.* exclude (window_start) from event_sums as e inner join windowed_side as w using (window_start);

create or replace table latency_map as
select w.side_at as window_start, m.* exclude (window_start) from latency_map as m inner join windowed_side as w using (window_start);

create or replace view latency_values as
select w.side_at as window_start, v.* exclude (window_start) from windowed_latency_values as v inner join windowed_side as w using (window_start);
