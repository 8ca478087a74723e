-- keyed -> event_sums: counts and amounts per window and slice; merges by SUM, MIN, MAX.
-- In:   keyed: events with window_start, slice_no
create or replace table event_sums as
select window_start, slice_no, count(*) as n_events, count(*) filter (status = 'error') as n_errors,
    count(*) filter (is_shared_text(tenant_id, query_id, query_text)) as n_shared_texts, count(*) filter ("timestamp" is null) as n_without_time, min("timestamp") as first_at, max("timestamp") as last_at,
    count(cache_hit) as n_cache_known, count(*) filter (cache_hit) as n_cache_hits,
    count(input_tokens) as n_input, exact_amount(input_tokens) as input_tokens,
    count(output_tokens) as n_output, exact_amount(output_tokens) as output_tokens,
    count(cost_usd) as n_cost, exact_amount(cost_usd) as cost_usd
from keyed group by all;
