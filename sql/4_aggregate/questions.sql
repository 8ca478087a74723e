-- judged_events, keyed_recalls -> question_values, asking_sums: what questions of several searches (2_judge/questions.sql) add to the sums.
-- In:   judged_events, keyed_recalls, opt_max_k()
-- Out:  question_values: one row a figure of a labelled question with a relevant document, as a percentile needs each; merges by UNION
--       figure: searches (how many) · searches, ms, tokens to the first relevant document, and until all of them were there (chain complete) ·
--       wasted, repeated (shares of the searches) · hop_recall: of hop, in the first k ranks of the union
--       asking_sums: how many questions there are, and how many of them are searches without a trace (session); merges by SUM
-- Key:  asking_sums: slice_no
create or replace table question_values as
select window_start, slice_no, v.figure_no as figure_no, v.figure as figure, v.hop as hop, v.value as value from (select window_start, slice_no, unnest(list_concat([
    {'figure_no': 1, 'figure': 'searches', 'hop': null::integer, 'value': searched.n::double},
    {'figure_no': 2, 'figure': 'searches_to_first', 'hop': null, 'value': searched.first_no::double},
    {'figure_no': 3, 'figure': 'searches_to_complete', 'hop': null, 'value': searched.last_no::double},
    {'figure_no': 4, 'figure': 'ms_to_first', 'hop': null, 'value': ms_until(searched, searched.first_no)},
    {'figure_no': 5, 'figure': 'ms_to_complete', 'hop': null, 'value': ms_until(searched, searched.last_no)},
    {'figure_no': 6, 'figure': 'tokens_to_first', 'hop': null, 'value': tokens_until(searched, searched.first_no)::double},
    {'figure_no': 7, 'figure': 'tokens_to_complete', 'hop': null, 'value': tokens_until(searched, searched.last_no)::double},
    {'figure_no': 8, 'figure': 'wasted', 'hop': null, 'value': wasted_at_k(searched, null)},
    {'figure_no': 9, 'figure': 'repeated', 'hop': null, 'value': repeated_at_k(searched, null)}],
    list_transform(list_distinct(list_transform(searched.hops, lambda x: x.hop)), lambda no:
        {'figure_no': 10, 'figure': 'hop_recall', 'hop': no, 'value': hop_recall_at_k(searched, opt_max_k()::integer, no)}))) as v
from judged_events where is_scorable and judged.n_relevant > 0);

create or replace table asking_sums as
select slice_no, count(*) as n, count(*) filter (starts_with(unit, 'e')) as n_alone from keyed_recalls group by slice_no;
create or replace view asking_counts as select coalesce(sum(n), 0)::bigint as n, coalesce(sum(n_alone), 0)::bigint as n_alone from asking_sums;
