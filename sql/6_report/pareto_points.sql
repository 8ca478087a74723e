-- quality, latency, cost by variant -> pareto_points: what each variant is worth and what it costs.
-- In:   quality, latency, cost, segments (one a variant, and 0 = everything)
--       pareto_axes, one row: y_position (metric_columns), x_kind (latency | cost), x_name (p50 p95 p99 mean max | cost tokens
--       input_tokens output_tokens), stage, cache, is_log (x on a log scale for the knee)
-- Out:  y: ratio 0..1, higher is better · x: ms, US dollars or tokens a recall, lower is better, with 95 % intervals where there are any
-- Key:  segment_no
-- Edge: an event that does not name its variant is in no point · a variant without times or amounts: x null
--       · tokens: mean input + mean output, each over the recalls that log it; logged on one side only -> that side
create or replace table pareto_points as
with
times as (
    select l.segment, case a.x_name when 'p50' then l.p50_ms when 'p95' then l.p95_ms when 'p99' then l.p99_ms when 'mean' then l.mean_ms else l.max_ms end as x,
        if(a.x_name = 'p95', l.p95_ci_low_ms, null) as x_low, if(a.x_name = 'p95', l.p95_ci_high_ms, null) as x_high, l.basis as x_basis, l.n as n_x
    from latency as l inner join pareto_axes as a on a.x_kind = 'latency' and l.stage = a.stage and l.cache = a.cache
),
amounts as (
    select c.segment, case a.x_name when 'cost' then c.cost_usd_per_query
        when 'input_tokens' then input_mean when 'output_tokens' then output_mean
        else coalesce(input_mean + output_mean, input_mean, output_mean) end as x,
        null::double as x_low, null::double as x_high, null::varchar as x_basis,
        case a.x_name when 'cost' then c.n_cost when 'input_tokens' then c.n_input_tokens when 'output_tokens' then c.n_output_tokens
        else greatest(c.n_input_tokens, c.n_output_tokens) end as n_x
    from (select *, input_tokens / nullif(n_input_tokens, 0) as input_mean, output_tokens / nullif(n_output_tokens, 0) as output_mean from cost) as c
    inner join pareto_axes as a on a.x_kind = 'cost'
)
select s.segment_no, s.segment, q.value as y, q.ci_low as y_low, q.ci_high as y_high, q.truncated, q.n, q.n_queries, q.n_errors,
    x.x, x.x_low, x.x_high, x.x_basis, coalesce(x.n_x, 0)::bigint as n_x
from segments as s
left join quality as q on q.segment_no = s.segment_no and q.position = (select y_position from pareto_axes)
left join (from times union all from amounts) as x on x.segment = s.segment
where s.segment_no > 0 and len(list_filter(map_values(s.segment), lambda v: v is not null)) = len(map_values(s.segment));
