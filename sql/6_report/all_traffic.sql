-- quality_long, event_groups, latency_merged by the segments of sampling_rate -> all_traffic_*: all traffic, from a log that holds each recall with a known probability.
-- In:   segments of one column, sampling_rate (--by sampling_rate): what an event says was its probability to be logged; opt_unit()
-- Out:  traffic_rates: each rate and its recalls · all_traffic_counts: recalls with the standard error of their number, tokens, US dollars · all_traffic_metrics: mean with
--       its 95 % interval · all_traffic_latency: mean and percentiles of a stage, from the histogram (off by less than 0.5 %)
-- Key:  rate · one row · position · stage
-- Edge: a recall logged with probability p weighs 1 / p · no rate: p = 1 · a rate that is no number over 0 and up to 1 is an error
--       · the interval is that of quality.sql, for other queries like these, a query weighing as much as its recalls do
-- Source: totals Horvitz & Thompson 1952, doi 10.1080/01621459.1952.10483446, variance of independent draws Σ (1 − p) / p²; means Hájek 1971 (their ratio)
create or replace macro rate_weight(rate) as case when rate is null then 1.0::double
    when try_cast(rate as double) > 0 and try_cast(rate as double) <= 1 then 1 / try_cast(rate as double)
    else error('rw:logs: a recall has the sampling rate ' || rate || ', expected a number over 0 and up to 1. Mend the log, or leave out --by sampling_rate')::double end;

create or replace table traffic_rates as
select e.segment_no, s.segment['sampling_rate'] as rate, rate_weight(s.segment['sampling_rate']) as weight, e.n_events
from event_groups as e inner join segments as s using (segment_no)
where e.window_start = '-infinity' and map_keys(s.segment) = ['sampling_rate'] order by weight, rate nulls first;

create or replace view all_traffic_counts as
select sum(r.n_events)::bigint as n_logged, fine_sum(r.n_events * r.weight) as n, sqrt(fine_sum(r.n_events * r.weight * (r.weight - 1))) as n_se,
    if(sum(e.n_input) > 0, exact_amount(e.input_tokens::double * r.weight)::double, null) as input_tokens,
    if(sum(e.n_output) > 0, exact_amount(e.output_tokens::double * r.weight)::double, null) as output_tokens,
    if(sum(e.n_cost) > 0, exact_amount(e.cost_usd::double * r.weight)::double, null) as cost_usd
from traffic_rates as r inner join event_groups as e on e.segment_no = r.segment_no and e.window_start = '-infinity';

create or replace view all_traffic_metrics as
with
queries as (
    select position, label_no, sum(q.n)::bigint as n_logged, fine_sum(q.n * weight) as n, fine_sum(q.n * weight * mean_of(q.total, q.n)) / fine_sum(q.n * weight) as mean
    from quality_long as q inner join traffic_rates using (segment_no) where window_start = '-infinity' and q.n > 0 group by all
),
groups as (
    select position, sum(n_logged)::bigint as n_logged, count(*) as n_queries, fine_sum(n) as n, fine_sum(n * mean) / fine_sum(n) as by_event, fine_sum(mean) / count(*) as by_query
    from queries group by all
),
spread as (
    select position, any_value(if(opt_unit() = 'query', by_query, by_event)) as value,
        fine_sum(power(if(opt_unit() = 'query', 1.0 / n_queries, q.n / g.n), 2)) as sum_w2,
        fine_sum(power(if(opt_unit() = 'query', 1.0 / n_queries, q.n / g.n) * (mean - if(opt_unit() = 'query', by_query, by_event)), 2)) as v_weighted,
        fine_sum(power(mean - by_query, 2)) / nullif(any_value(n_queries) - 1, 0) as s2
    from queries as q inner join groups as g using (position) group by position
),
ends as (
    select *, interval_half(sum_w2, v_weighted, s2) as t_half, t_half < 1e-9 as is_flat,
        if(is_flat, wilson_mid(value, 1 / sum_w2), value) as middle, if(is_flat, wilson_half(value, 1 / sum_w2), t_half) as half from spread
)
select position, c.metric, c.k, value, if(half is null, null, greatest(0.0, least(value, middle - half))) as ci_low, if(half is null, null, least(1.0, greatest(value, middle + half))) as ci_high,
    g.n, g.n_logged, g.n_queries
from groups as g inner join ends using (position) inner join metric_columns as c using (position)
where not (c.metric = 'f1' and opt_f1() = 'of_means') order by position;

create or replace view all_traffic_latency as
with
buckets as (
    select stage, bucket, sum(m.n)::bigint as n_logged, fine_sum(m.n * weight) as n, min(lo) as lo, max(hi) as hi, exact_amount(sum_ms::double * weight) as sum_ms
    from latency_merged as m inner join traffic_rates using (segment_no) where window_start = '-infinity' and cache = 'all' and bucket is not null group by all
),
cumulated as (
    select *, sum(n) over (partition by stage order by bucket) as upto, sum(n) over (partition by stage) as total from buckets
)
select stage, sum(n_logged)::bigint as n_logged, fine_sum(n) as n, sum(sum_ms)::double / fine_sum(n) as mean_ms,
    arg_min((lo + hi) / 2, bucket) filter (upto >= .5 * total * (1 - 1e-12)) as p50_ms, arg_min((lo + hi) / 2, bucket) filter (upto >= .95 * total * (1 - 1e-12)) as p95_ms,
    arg_min((lo + hi) / 2, bucket) filter (upto >= .99 * total * (1 - 1e-12)) as p99_ms
from cumulated group by stage order by stage <> 'total', stage;
