-- latency_read -> latency: one row per window, segment, stage and cache, total first.
-- n_missing: events of the group that have no value for the stage; a cache hit is not a missing stage.
create or replace view latency as
with ran as (select window_start, segment_no, stage, max(if(cache = 'miss', n, 0)) as n_miss, max(if(cache = 'all', n, 0)) as n_all from latency_groups group by all)
select nullif(v.window_start, '-infinity') as "window", s.segment, v.stage, v.cache, v.n,
    case when v.cache = 'hit' then if(v.stage = 'total', e.n_cache_hits - v.n, 0)
        when v.stage = 'total' and v.cache = 'all' then e.n_events - v.n
        when e.n_cache_known = 0 then e.n_events - v.n
        else (e.n_events - e.n_cache_hits) - r.n_miss end as n_missing,
    v.mean_ms, i.p50_ms, i.p95_ms, i.p95_ci_low_ms, i.p95_ci_high_ms, i.p99_ms, v.max_ms,
    if(v.is_exact, 'exact', 'histogram') as percentile, i.basis
from latency_groups as v
inner join segments as s using (segment_no)
inner join event_groups as e using (window_start, segment_no)
inner join ran as r using (window_start, segment_no, stage)
inner join latency_read as i using (window_start, segment_no, stage, cache)
order by v.window_start, v.segment_no, v.stage <> 'total', v.stage, v.cache;
