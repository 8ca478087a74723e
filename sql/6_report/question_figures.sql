-- question_values -> question_figures: what the searches of a question cost until its evidence was there, per window and segment.
-- In:   question_values (4_aggregate/questions.sql), levels, slice_segments, segments, opt_max_k()
-- Out:  n_questions = labelled questions with a relevant document; n = those that have the figure; mean; p50, p95 nearest rank; max
-- Key:  (window, segment, figure, hop) · Edge: a question whose evidence never came has no figure to it: n beside n_questions says how many
create or replace view question_figures as
with
grouped as (
    select if(l.by_window, q.window_start, '-infinity') as window_start, g.segment_no, q.figure_no, q.figure, q.hop, q.value
    from question_values as q inner join slice_segments as g using (slice_no) cross join levels as l
    where not (l.by_window and q.window_start is null)
),
figures as (
    select window_start, segment_no, figure_no, figure, hop, count(*) as n_all, count(value) as n,
        coalesce(exact_mean(if(figure in ('wasted', 'repeated', 'hop_recall'), value, null)), exact_amount(value)::double / count(value)) as mean,
        quantile_disc(value, .5) as p50, quantile_disc(value, .95) as p95, max(value) as max
    from grouped group by all
)
select nullif(f.window_start, '-infinity') as "window", s.segment, f.figure, f.hop, if(f.hop is null, null, opt_max_k()) as k,
    max(f.n_all) over (partition by f.window_start, f.segment_no) as n_questions, f.n, f.mean,
    if(f.hop is null, f.p50, null) as p50, if(f.hop is null, f.p95, null) as p95, if(f.hop is null, f.max, null) as max
from figures as f inner join segments as s using (segment_no)
order by f.window_start, f.segment_no, f.figure_no, f.hop;
