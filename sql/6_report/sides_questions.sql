-- question_values, windowed_side -> question_values with a side in place of the window; beside sides.sql, where several searches answer a question.
-- After this file question_figures.sql reads the sides out as it reads windows. · Edge: a window in no span is left out
create or replace table question_values as
select w.side_at as window_start, q.* exclude (window_start)
from question_values as q inner join windowed_side as w on w.window_start = q.window_start and w.family = 'quality';
