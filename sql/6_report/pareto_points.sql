-- quality, latency, variant_events -> pareto_points: what each variant is worth and what it costs.
-- In:   quality, latency, variant_events, segments (one a variant, and 0 = everything)
--       pareto_axes, one row: y_position (metric_columns), x_kind (latency | cost), x_name (p50 p95 p99 mean max | cost tokens
--       input_tokens output_tokens), stage, cache, is_log (x on a log scale for the knee)
-- Out:  y: ratio 0..1, higher is better · x: ms, US dollars or tokens a recall, lower is better, with 95 % intervals where there are any
-- Key:  segment_no
-- Edge: an event that does not name its variant is in no point · a variant without times or amounts: x null
--       · tokens: input + output of a recall; logged on one side only -> that side · a recall that logs no amount is left out of its mean
--       · interval of an amount: that of every mean (4_aggregate/quality.sql), clustered by query; no less than 0
create or replace table pareto_points as
with
times as (
    select l.segment, case a.x_name when 'p50' then l.p50_ms when 'p95' then l.p95_ms when 'p99' then l.p99_ms when 'mean' then l.mean_ms else l.max_ms end as x,
        if(a.x_name = 'p95', l.p95_ci_low_ms, null) as x_low, if(a.x_name = 'p95', l.p95_ci_high_ms, null) as x_high, l.basis as x_basis, l.n as n_x
    from latency as l inner join pareto_axes as a on a.x_kind = 'latency' and l.stage = a.stage and l.cache = a.cache
),
events as (
    select segment_no, coalesce(query_id, normal_text(query_text), event_id) as query,
        case a.x_name when 'cost' then cost_usd when 'input_tokens' then input_tokens when 'output_tokens' then output_tokens
        else coalesce(input_tokens + output_tokens, input_tokens, output_tokens) end as amount
    from variant_events cross join pareto_axes as a where a.x_kind = 'cost'
),
queries as (select segment_no, query, count(*) as n, exact_amount(amount) as total, total::double / count(*) as mean from events where amount is not null group by segment_no, query),
means as (select segment_no, sum(n)::bigint as n, count(*) as n_queries, sum(total)::double / sum(n) as mean, exact_amount(mean)::double / count(*) as by_query from queries group by segment_no),
spread as (  -- of the queries' means as shares of the mean, so that no amount is too large for a decimal
    select m.segment_no, fine_sum(power(q.n::double / m.n, 2)) as sum_w2, fine_sum(power(q.n::double / m.n * (q.mean / m.mean - 1), 2)) as v_weighted,
        fine_sum(power((q.mean - m.by_query) / m.mean, 2)) / nullif(any_value(m.n_queries) - 1, 0) as s2
    from queries as q inner join means as m using (segment_no) where m.mean > 0 group by m.segment_no
),
amounts as (
    select g.segment, m.mean as x, if(1 / s.sum_w2 < 5 - 1e-9, null, t_975(1 / s.sum_w2 - 1) * sqrt(greatest(s.v_weighted, s.s2 * s.sum_w2))) as half,
        greatest(m.mean * (1 - half), 0) as x_low, m.mean * (1 + half) as x_high, null::varchar as x_basis, m.n as n_x
    from means as m left join spread as s using (segment_no) inner join segments as g using (segment_no)
)
select s.segment_no, s.segment, q.value as y, q.ci_low as y_low, q.ci_high as y_high, q.truncated, q.n, q.n_queries, q.n_errors,
    x.x, x.x_low, x.x_high, x.x_basis, coalesce(x.n_x, 0)::bigint as n_x
from segments as s
left join quality as q on q.segment_no = s.segment_no and q.position = (select y_position from pareto_axes)
left join (from times union all select * exclude (half) from amounts) as x on x.segment = s.segment
where s.segment_no > 0 and len(list_filter(map_values(s.segment), lambda v: v is not null)) = len(map_values(s.segment));
