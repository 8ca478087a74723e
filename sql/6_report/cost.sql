-- event_groups -> cost: tokens, US dollars and cache hits per window and segment. Null = nobody logged it.
create or replace view cost as
select nullif(e.window_start, '-infinity') as "window", s.segment, e.n_events as n,
    e.n_input as n_input_tokens, e.input_tokens::double as input_tokens, e.n_output as n_output_tokens, e.output_tokens::double as output_tokens,
    e.n_cost as n_cost, e.cost_usd::double as cost_usd, e.cost_usd::double / nullif(e.n_cost, 0) as cost_usd_per_query,
    e.n_cache_known, e.n_cache_hits::double / nullif(e.n_cache_known, 0) as cache_hit_rate
from event_groups as e inner join segments as s using (segment_no)
order by e.window_start, e.segment_no;
