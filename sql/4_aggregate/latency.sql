-- latency_map (+ a second look at the few values that decide) -> latency_percentiles per window, segment, stage, cache.
-- In:   latency_map, latency_values, latency_kept (groups read out before, in the shape of latency_read), event_sums, levels, slice_segments, opt_percentile()
-- Edge: percentile = nearest rank (type 1), exact where no stage of the window and segment has more than 1 million values, else from the histogram
--       · opt_percentile() = 'linear': type 7 · a stage an event lacks: not in its percentile, counted in n_missing
--       · cache: all | miss | hit; hit and miss only where the log says which
-- Source: Hyndman & Fan 1996 (types 1 and 7), doi 10.1080/00031305.1996.10473566
-- which windows are summed, each alone and over all: those that were read out before are not summed again
create or replace table latency_levels as
select w.window_start as from_start, if(by_window, w.window_start, '-infinity') as window_start
from (select distinct window_start from latency_map) as w cross join levels
where not (by_window and (w.window_start is null or w.window_start in (select window_start from latency_kept)));

create or replace table latency_caches as
select is_hit, unnest(if((select sum(n_cache_known) from event_sums) > 0, ['all', if(is_hit, 'hit', 'miss')], ['all'])) as cache
from (values (true), (false)) as t(is_hit);

create or replace table latency_merged as
select s.window_start, s.segment_no, c.cache, s.stage, s.bucket, s.hour_no, sum(s.n)::bigint as n, min(s.lo) as lo, max(s.hi) as hi, sum(s.sum_ms) as sum_ms
from (
    select l.window_start, g.segment_no, m.stage, m.is_hit, m.bucket, m.hour_no,
        sum(m.n)::bigint as n, min(m.lo) as lo, max(m.hi) as hi, sum(m.sum_ms) as sum_ms
    from latency_map as m inner join slice_segments as g using (slice_no) inner join latency_levels as l on l.from_start is not distinct from m.window_start
    group by all) as s
inner join latency_caches as c using (is_hit)
group by all;

-- is_exact: no stage of the window and segment has more values than the limit; else all its stages are read from the histogram, also rare ones
-- is_long: not exact, and of seven days or more: its interval comes from its days
-- is_looked: some of its values have to be seen once more
create or replace table latency_groups as
with days as (
    select l.window_start, g.segment_no, c.cache, m.stage, count(distinct m.day_no) as n_days
    from (select distinct window_start, slice_no, stage, is_hit, day_no from latency_map where bucket is not null) as m
    inner join slice_segments as g using (slice_no)
    inner join latency_levels as l on l.from_start is not distinct from m.window_start
    inner join latency_caches as c using (is_hit)
    group by all
),
sizes as (
    select window_start, segment_no, stage, cache, sum(n)::bigint as n, max(hi) as max_ms, sum(sum_ms)::double / sum(n) as mean_ms
    from latency_merged where bucket is not null group by all
)
select s.*, max(s.n) over g <= opt_exact_limit() as is_exact, not is_exact and max(d.n_days) over g >= 7 as is_long, not is_long as is_looked
from sizes as s inner join days as d
    on d.window_start is not distinct from s.window_start and d.segment_no = s.segment_no and d.stage = s.stage and d.cache = s.cache
window g as (partition by s.window_start, s.segment_no)
union all by name
select window_start, segment_no, stage, cache, n, max_ms, mean_ms, is_exact, false as is_long, false as is_looked
from latency_kept where window_start in (select window_start from latency_map);

create or replace table latency_cumulated as
select *, sum(n) over (partition by window_start, segment_no, stage, cache order by bucket)::bigint as upto
from (select window_start, segment_no, stage, cache, bucket, sum(n)::bigint as n, min(lo) as lo, max(hi) as hi
    from latency_merged where bucket is not null group by all);

-- the ranks a percentile needs: one (nearest rank) or two with a fraction between them (linear)
create or replace table latency_ranks as
with wanted as (
    select g.*, p.per_mille, p.name,
        if(opt_percentile() = 'linear', (n - 1) * p.per_mille // 1000 + 1, (n * p.per_mille + 999) // 1000) as low,
        if(opt_percentile() = 'linear', ((n - 1) * p.per_mille % 1000) / 1000.0::double, 0.0) as fraction
    from latency_groups as g cross join (values (500, 'p50'), (950, 'p95'), (990, 'p99')) as p(per_mille, name)
)
select w.window_start, w.segment_no, w.stage, w.cache, w.name, w.n, w.fraction, w.is_looked, w.is_exact, side, rank,
    b.bucket, rank - (b.upto - b.n) as place, b.n as n_bucket, b.lo, b.hi,
    place > 1 and place < n_bucket and lo < hi and w.is_looked and w.is_exact as is_open
from (select *, unnest(if(fraction > 0, ['low', 'high'], ['low'])) as side, if(side = 'high', least(low + 1, n), low) as rank from wanted) as w
asof join latency_cumulated as b
    on b.window_start = w.window_start and b.segment_no = w.segment_no and b.stage = w.stage and b.cache = w.cache and w.rank <= b.upto;

-- second look: only values near an open rank, or above the least p95 they count for (ranges, not buckets: a comparison is
-- cheaper than a logarithm; a range may hold more than the open buckets, never less)
create or replace table latency_ranges as
with sides as (select *, unnest(if(cache = 'all', [true, false], [cache = 'hit'])) as is_hit from latency_ranks where is_looked),
ranges as (
    select window_start, stage, is_hit, min(lo) filter (name = 'p95') as least_p95,
        max(hi) filter (name = 'p95') as most_p95, min(lo) filter (is_open and name = 'p99') as p99_lo, max(hi) filter (is_open and name = 'p99') as p99_hi,
        min(lo) filter (is_open and name = 'p50') as open_lo, max(hi) filter (is_open and name = 'p50') as open_hi  -- p99 lies above p95
    from sides group by all
)
select window_start, stage, is_hit, min(least_p95) as least_p95, min(open_lo) as open_lo, max(open_hi) as open_hi,
    max(most_p95) * 1.001 as most_p95, min(p99_lo) as p99_lo, max(p99_hi) as p99_hi
from (
    select * from ranges
    union all  -- what is asked over everything is asked of each window
    select w.window_start, r.* exclude (window_start)
    from ranges as r cross join (select distinct window_start from latency_map) as w where r.window_start = '-infinity')
group by all;

-- ms null: above every p95 and near no open rank, so only how many there are in each hour is asked
create or replace table latency_tail as
select *, latency_bucket(ms) as bucket
from (
    select v.window_start, v.slice_no, v.stage, v.is_hit, v.hour_no, count(*) as n,
        if(v.ms > r.most_p95 and not coalesce(v.ms between r.p99_lo and r.p99_hi, false), null, v.ms) as ms
    from latency_values as v inner join latency_ranges as r using (window_start, stage, is_hit)
    where decides(v.ms, r.least_p95, r.open_lo, r.open_hi) group by all);

create or replace view latency_tail_levels as
select if(by_window, window_start, '-infinity') as window_start, segment_no, stage, cache, bucket, hour_no, ms, n
from (select *, unnest(['all', if(is_hit, 'hit', 'miss')]) as cache from latency_tail) inner join slice_segments using (slice_no) cross join levels
where not (by_window and window_start is null);

create or replace table latency_exact as
with
asked as (  -- buckets by number: a window over one number sorts in half the time
    select *, dense_rank() over (order by window_start, segment_no, stage, cache, bucket) as bucket_no from latency_ranks where is_open
),
near as (
    select b.bucket_no, v.ms, v.n
    from latency_tail_levels as v inner join (select distinct window_start, segment_no, stage, cache, bucket, bucket_no from asked) as b
        using (window_start, segment_no, stage, cache, bucket)
),
placed as (select *, sum(n) over (partition by bucket_no order by ms rows unbounded preceding) as upto from near)
select distinct r.window_start, r.segment_no, r.stage, r.cache, r.name, r.side, t.ms
from asked as r inner join placed as t on t.bucket_no = r.bucket_no and r.place <= t.upto and r.place > t.upto - t.n;

create or replace table latency_percentiles as
with sides as (
    select r.*, case when r.is_open then e.ms when r.place = 1 or r.lo = r.hi then r.lo when r.place = r.n_bucket then r.hi
        else r.lo + (r.hi - r.lo) * (r.place - 1) / (r.n_bucket - 1) end as ms
    from latency_ranks as r left join latency_exact as e
        on e.window_start = r.window_start and e.segment_no = r.segment_no and e.stage = r.stage and e.cache = r.cache and e.name = r.name and e.side = r.side
)
select window_start, segment_no, stage, cache, name, any_value(n) as n,
    max(if(side = 'low', ms, null)) * (1 - any_value(fraction)) + coalesce(max(if(side = 'high', ms, null)) * any_value(fraction), 0) as ms
from sides group by all;
