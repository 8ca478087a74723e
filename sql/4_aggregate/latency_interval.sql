-- p95_interval: a 95 % interval of p95 from how the share above it varies between blocks of time; then latency_read: all that is read
-- of a group, computed or kept.
-- In:   latency_map, slice_segments, latency_merged, latency_levels, latency_caches, latency_groups, latency_cumulated, latency_percentiles, latency_tail_levels, latency_kept
-- Blocks: UTC hours; where a day's traffic stands in a few hours only (nightly replays), the runs = UTC days; where a group is long, its
-- UTC days, and the share above p95 comes from the histogram: of p95's own bucket as much counts as lies above p95 over all days
-- Edge: standard error never below the binomial; fewer than 3 blocks -> binomial, named so; out of range -> null
-- Source: Woodruff 1952, doi 10.1080/01621459.1952.10483443 (interval of a quantile from that of a share)
create or replace table latency_blocks as
select m.*, if(g.is_long or u.n_hours < 6 * u.n_days, hour_no // 24, hour_no) as block,
    case when g.is_long then 'days' when u.n_hours < 6 * u.n_days then 'runs' else 'hours' end as unit_name
from latency_merged as m
inner join latency_groups as g using (window_start, segment_no, stage, cache)
inner join (
    select window_start, segment_no, stage, cache, count(distinct hour_no) as n_hours, count(distinct hour_no // 24) as n_days
    from latency_merged where hour_no is not null group by all) as u using (window_start, segment_no, stage, cache)
where m.hour_no is not null and (g.is_long or g.is_looked);

create or replace table p95_interval as
with
sizes as (
    select window_start, segment_no, stage, cache, unit_name, block, sum(n)::bigint as n from latency_blocks group by all
),
over as (
    select t.window_start, t.segment_no, t.stage, t.cache, if(b.unit_name = 'hours', t.hour_no, t.hour_no // 24) as block, sum(t.n)::double as n_over
    from latency_tail_levels as t
    inner join latency_percentiles as p
        on p.window_start = t.window_start and p.segment_no = t.segment_no and p.stage = t.stage and p.cache = t.cache and p.name = 'p95' and (t.ms is null or t.ms > p.ms)
    inner join (select distinct window_start, segment_no, stage, cache, unit_name from latency_blocks where unit_name <> 'days') as b
        on b.window_start = t.window_start and b.segment_no = t.segment_no and b.stage = t.stage and b.cache = t.cache
    group by all
    union all
    select r.window_start, r.segment_no, r.stage, r.cache, m.day_no, sum(m.n)::double * if(m.bucket > r.bucket, 1, (r.n_bucket - r.place)::double / r.n_bucket)
    from latency_map as m inner join slice_segments as s using (slice_no)
    inner join latency_levels as l on l.from_start is not distinct from m.window_start
    inner join latency_caches as c using (is_hit)
    inner join latency_ranks as r
        on r.window_start = l.window_start and r.segment_no = s.segment_no and r.stage = m.stage and r.cache = c.cache
        and r.name = 'p95' and r.side = 'low' and m.bucket >= r.bucket
    inner join latency_groups as g
        on g.is_long and g.window_start = r.window_start and g.segment_no = r.segment_no and g.stage = r.stage and g.cache = r.cache
    group by r.window_start, r.segment_no, r.stage, r.cache, m.day_no, m.bucket, r.bucket, r.n_bucket, r.place
),
blocks as (
    select s.window_start, s.segment_no, s.stage, s.cache, s.unit_name, s.block, s.n, coalesce(o.n_over, 0) as n_over
    from sizes as s left join (select window_start, segment_no, stage, cache, block, fine_sum(n_over) as n_over from over group by all) as o
        on o.window_start = s.window_start and o.segment_no = s.segment_no and o.stage = s.stage and o.cache = s.cache and o.block = s.block
),
totals as (
    select window_start, segment_no, stage, cache, any_value(unit_name) as unit_name, count(*) as n_blocks, sum(n)::bigint as n, fine_sum(n_over) as n_over
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

create or replace table latency_read as
select g.window_start, g.segment_no, g.stage, g.cache, g.n, g.mean_ms, g.max_ms, g.is_exact,
    p.p50_ms, p.p95_ms, p.p99_ms, i.basis, i.low_ms as p95_ci_low_ms, i.high_ms as p95_ci_high_ms
from latency_groups as g
inner join (
    select window_start, segment_no, stage, cache, max(if(name = 'p50', ms, null)) as p50_ms, max(if(name = 'p95', ms, null)) as p95_ms,
        max(if(name = 'p99', ms, null)) as p99_ms
    from latency_percentiles group by all) as p using (window_start, segment_no, stage, cache)
left join p95_interval as i using (window_start, segment_no, stage, cache)
where g.is_long or g.is_looked
union all by name
select * from latency_kept where window_start in (select window_start from latency_map);
