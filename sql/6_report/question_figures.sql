-- keyed_recalls -> question_figures: what the searches of a question cost until its evidence was there, per window and segment.
-- In:   keyed_recalls (by question: 2_judge/questions.sql), levels, slice_segments, segments, opt_max_k()
-- Out:  figure: searches (how many) · searches, ms, tokens to the first relevant document, and until all of them were there (chain complete) ·
--       wasted, repeated (shares of the searches) · hop_recall: of hop, in the first k ranks of the union
--       n_questions = labelled questions with a relevant document; n = those that have the figure; mean; p50, p95 nearest rank; max
-- Key:  (window, segment, figure, hop) · Edge: a question whose evidence never came has no figure to it: n beside n_questions says how many
create or replace view question_values as
select window_start, slice_no, unnest(list_concat([
    {'position': 1, 'figure': 'searches', 'hop': null::integer, 'value': searched.n::double},
    {'position': 2, 'figure': 'searches_to_first', 'hop': null, 'value': searched.first_no::double},
    {'position': 3, 'figure': 'searches_to_complete', 'hop': null, 'value': searched.last_no::double},
    {'position': 4, 'figure': 'ms_to_first', 'hop': null, 'value': ms_until(searched, searched.first_no)},
    {'position': 5, 'figure': 'ms_to_complete', 'hop': null, 'value': ms_until(searched, searched.last_no)},
    {'position': 6, 'figure': 'tokens_to_first', 'hop': null, 'value': tokens_until(searched, searched.first_no)::double},
    {'position': 7, 'figure': 'tokens_to_complete', 'hop': null, 'value': tokens_until(searched, searched.last_no)::double},
    {'position': 8, 'figure': 'wasted', 'hop': null, 'value': wasted_at_k(searched, null)},
    {'position': 9, 'figure': 'repeated', 'hop': null, 'value': repeated_at_k(searched, null)}],
    list_transform(list_distinct(list_transform(searched.hops, lambda x: x.hop)), lambda no:
        {'position': 10, 'figure': 'hop_recall', 'hop': no, 'value': hop_recall_at_k(searched, opt_max_k()::integer, no)}))) as v
from keyed_recalls where is_labelled and is_scorable and judged.n_relevant > 0;

create or replace view question_figures as
with
grouped as (
    select if(l.by_window, q.window_start, '-infinity') as window_start, g.segment_no, v.position as position, v.figure as figure, v.hop as hop, v.value as value
    from question_values as q inner join slice_segments as g using (slice_no) cross join levels as l
    where not (l.by_window and q.window_start is null)
),
figures as (
    select window_start, segment_no, position, figure, hop, count(*) as n_all, count(value) as n, exact_amount(value)::double / count(value) as mean,
        quantile_disc(value, .5) as p50, quantile_disc(value, .95) as p95, max(value) as max
    from grouped group by all
)
select nullif(f.window_start, '-infinity') as "window", s.segment, f.figure, f.hop, if(f.hop is null, null, opt_max_k()) as k,
    max(f.n_all) over (partition by f.window_start, f.segment_no) as n_questions, f.n, f.mean,
    if(f.hop is null, f.p50, null) as p50, if(f.hop is null, f.p95, null) as p95, if(f.hop is null, f.max, null) as max
from figures as f inner join segments as s using (segment_no)
order by f.window_start, f.segment_no, f.position, f.hop;
