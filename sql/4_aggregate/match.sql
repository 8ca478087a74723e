-- judged_events -> match_sums: how relevance was told, and how much of what is relevant was found, exactly and at all; merges by SUM.
-- In:   judged_events, metric_columns(k) · Empty where opt_match() is id alone: all of it would be by id
-- Key:  (window_start, slice_no, strategy, k): strategy '' = none could be tried; k = a depth asked for, null = whole list
-- Out:  n_events, n_relevant = relevant documents of their labels, n_found = those in the first k ranks, n_exact = those of them found by id
--       or as the same text
create or replace table match_sums as
with depths as (select distinct k from metric_columns)
select e.window_start, e.slice_no, coalesce(e.match_strategy, '') as strategy, d.k, count(*) as n_events,
    sum(if(e.is_scorable, e.judged.n_relevant, 0))::bigint as n_relevant,
    sum(if(e.is_scorable, len(list_filter(e.found, lambda f: d.k is null or f.rank <= d.k)), 0))::bigint as n_found,
    sum(if(e.is_scorable, len(list_filter(e.found, lambda f: (d.k is null or f.rank <= d.k) and list_contains(e.exact_ranks, f.rank))), 0))::bigint as n_exact
from judged_events as e cross join depths as d
where not by_id_only()
group by all;
