-- p95_interval: a 95 % interval of p95 from how the share above it varies between blocks of time.
-- In:   latency_merged, latency_cumulated, latency_percentiles, latency_tail_levels
-- Blocks: UTC hours; where a day's traffic stands in a few hours only (nightly replays), the runs = UTC days
-- Edge: standard error never below the binomial; fewer than 3 blocks -> binomial, named so; out of range -> null
-- Source: Woodruff 1952, doi 10.1080/01621459.1952.10483443 (interval of a quantile from that of a share)
create or replace table latency_blocks as
select *, if(count(distinct hour_no) over g < 6 * count(distinct hour_no // 24) over g, hour_no // 24, hour_no) as block,
    if(count(distinct hour_no) over g < 6 * count(distinct hour_no // 24) over g, 'runs', 'hours') as unit_name
from latency_merged where hour_no is not null
window g as (partition by window_start, segment_no, stage, cache);

create or replace table p95_interval as
with
over as (
    select t.window_start, t.segment_no, t.stage, t.cache, t.hour_no, count(*) as n_over
    from latency_tail_levels as t inner join latency_percentiles as p
        on p.window_start = t.window_start and p.segment_no = t.segment_no and p.stage = t.stage and p.cache = t.cache and p.name = 'p95' and t.ms > p.ms
    group by all
),
blocks as (
    select b.window_start, b.segment_no, b.stage, b.cache, b.unit_name, b.block, sum(b.n)::bigint as n, coalesce(sum(o.n_over), 0)::bigint as n_over
    from latency_blocks as b left join over as o
        on o.window_start = b.window_start and o.segment_no = b.segment_no and o.stage = b.stage and o.cache = b.cache and o.hour_no = b.hour_no
    group by all
),
totals as (
    select window_start, segment_no, stage, cache, any_value(unit_name) as unit_name, count(*) as n_blocks, sum(n)::bigint as n, sum(n_over)::bigint as n_over
    from blocks group by all
),
variance as (
    select t.window_start, t.segment_no, t.stage, t.cache, t.unit_name, t.n_blocks, t.n,
        fine_sum(power(b.n_over - b.n * (t.n_over::double / t.n), 2) / (t.n::double * t.n)) * any_value(t.n_blocks) / nullif(any_value(t.n_blocks) - 1, 0) as v_blocks
    from blocks as b inner join totals as t
        using (window_start, segment_no, stage, cache)
    group by all
),
shares as (
    select *, case when n_blocks >= 3 then t_975(n_blocks - 1) * sqrt(greatest(v_blocks, 0.0475 / n)) else 1.959963984540054 * sqrt(0.0475 / n) end as half
    from variance
),
ends as (select *, ceil(n * (.95 - half))::bigint as low_rank, ceil(n * (.95 + half))::bigint as high_rank from shares)
select e.window_start, e.segment_no, e.stage, e.cache,
    if(n_blocks >= 3, n_blocks || ' ' || unit_name, 'within this run only') as basis,
    if(low_rank < 1, null, l.lo + (l.hi - l.lo) * (low_rank - (l.upto - l.n) - 1) / greatest(l.n - 1, 1)) as low_ms,
    if(high_rank > e.n, null, h.lo + (h.hi - h.lo) * (high_rank - (h.upto - h.n) - 1) / greatest(h.n - 1, 1)) as high_ms
from ends as e
asof left join latency_cumulated as l
    on l.window_start = e.window_start and l.segment_no = e.segment_no and l.stage = e.stage and l.cache = e.cache and greatest(e.low_rank, 1) <= l.upto
asof left join latency_cumulated as h
    on h.window_start = e.window_start and h.segment_no = e.segment_no and h.stage = e.stage and h.cache = e.cache and e.high_rank <= h.upto;
