-- event_sums -> event_groups: counts and amounts per level.
-- In:   event_sums of one or many sources, levels, slice_segments
create or replace table event_groups as
select if(by_window, window_start, '-infinity') as window_start, segment_no,
    sum(n_events)::bigint as n_events, sum(n_cache_known)::bigint as n_cache_known, sum(n_cache_hits)::bigint as n_cache_hits,
    sum(n_input)::bigint as n_input, sum(input_tokens) as input_tokens, sum(n_output)::bigint as n_output, sum(output_tokens) as output_tokens,
    sum(n_cost)::bigint as n_cost, sum(cost_usd) as cost_usd
from event_sums inner join slice_segments using (slice_no) cross join levels
where not (by_window and window_start is null)
group by all;
