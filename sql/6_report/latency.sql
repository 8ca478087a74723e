-- latency_percentiles and their intervals -> latency: one row per window, segment, stage and cache, total first.
-- n_missing: events of the group that have no value for the stage; a cache hit is not a missing stage.
create or replace view latency as
with values_of as (
    select g.*, max(if(p.name = 'p50', p.ms, null)) as p50_ms, max(if(p.name = 'p95', p.ms, null)) as p95_ms, max(if(p.name = 'p99', p.ms, null)) as p99_ms
    from latency_groups as g inner join latency_percentiles as p using (window_start, segment_no, stage, cache)
    group by all
),
ran as (select window_start, segment_no, stage, max(if(cache = 'miss', n, 0)) as n_miss, max(if(cache = 'all', n, 0)) as n_all from latency_groups group by all)
select nullif(v.window_start, '-infinity') as "window", s.segment, v.stage, v.cache, v.n,
    case when v.cache = 'hit' then if(v.stage = 'total', e.n_cache_hits - v.n, 0)
        when v.stage = 'total' and v.cache = 'all' then e.n_events - v.n
        when e.n_cache_known = 0 then e.n_events - v.n
        else (e.n_events - e.n_cache_hits) - r.n_miss end as n_missing,
    v.mean_ms, v.p50_ms, v.p95_ms, i.low_ms as p95_ci_low_ms, i.high_ms as p95_ci_high_ms, v.p99_ms, v.max_ms,
    if(v.n <= opt_exact_limit(), 'exact', 'histogram') as percentile, i.basis
from values_of as v
inner join segments as s using (segment_no)
inner join event_groups as e using (window_start, segment_no)
inner join ran as r using (window_start, segment_no, stage)
left join p95_interval as i using (window_start, segment_no, stage, cache)
order by v.window_start, v.segment_no, v.stage <> 'total', v.stage, v.cache;
