-- quality_sums, latency_map, latency_values, event_sums, report_spans -> the same sums with a side in place of the window.
-- In:   report_spans(family, side_at, start_at, end_at): side_at = the time that stands for a side (reference or current);
--       quality and latency have references of their own, because a window may be good for one and bad for the other
--       windowed_latency_values: latency_values under another name, because a view cannot replace what it reads
-- After this file 4_aggregate/quality.sql, event_groups.sql, latency.sql and latency_interval.sql read the sides out as they read windows.
-- Edge: a window in no span is left out
create or replace table levels as select true as by_window;

create or replace table windowed_side as
select w.window_start, s.family, s.side_at
from (select distinct window_start from event_sums) as w inner join report_spans as s on w.window_start >= s.start_at and w.window_start < s.end_at;

create or replace table quality_sums as
select w.side_at as window_start, q.* exclude (window_start)
from quality_sums as q inner join windowed_side as w on w.window_start = q.window_start and w.family = 'quality';

delete from quality_kept;

create or replace table event_sums as  -- of the latency sides: they say how many events lack a stage
select w.side_at as window_start, e.* exclude (window_start)
from event_sums as e inner join windowed_side as w on w.window_start = e.window_start and w.family = 'latency';

-- a side of one window has been read out with it
create or replace table latency_kept as
select w.side_at as window_start, r.* exclude (window_start)
from latency_read as r inner join windowed_side as w on w.window_start = r.window_start and w.family = 'latency'
where w.side_at in (select side_at from windowed_side where family = 'latency' group by side_at having count(*) = 1);

create or replace table latency_map as
select w.side_at as window_start, m.* exclude (window_start)
from latency_map as m inner join windowed_side as w on w.window_start = m.window_start and w.family = 'latency';

create or replace view latency_values as
select w.side_at as window_start, v.* exclude (window_start)
from windowed_latency_values as v inner join windowed_side as w on w.window_start = v.window_start and w.family = 'latency';
