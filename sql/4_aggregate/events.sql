-- keyed -> event_sums (map: counts and amounts per window and segment; merges by SUM, MIN, MAX) -> event_groups (per level).
-- In:   keyed: events with window_start, segment_no; levels
create or replace table event_sums as
select window_start, segment_no, count(*) as n_events, count(*) filter (status = 'error') as n_errors,
    count(*) filter ("timestamp" is null) as n_without_time, min("timestamp") as first_at, max("timestamp") as last_at,
    count(cache_hit) as n_cache_known, count(*) filter (cache_hit) as n_cache_hits,
    count(input_tokens) as n_input, exact_amount(input_tokens) as input_tokens,
    count(output_tokens) as n_output, exact_amount(output_tokens) as output_tokens,
    count(cost_usd) as n_cost, exact_amount(cost_usd) as cost_usd
from keyed group by all;

create or replace table event_groups as
select if(by_window, window_start, '-infinity') as window_start, if(by_segment, segment_no, 0) as segment_no,
    sum(n_events)::bigint as n_events, sum(n_cache_known)::bigint as n_cache_known, sum(n_cache_hits)::bigint as n_cache_hits,
    sum(n_input)::bigint as n_input, sum(input_tokens) as input_tokens, sum(n_output)::bigint as n_output, sum(output_tokens) as output_tokens,
    sum(n_cost)::bigint as n_cost, sum(cost_usd) as cost_usd
from event_sums cross join levels
group by all;
