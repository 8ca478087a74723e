-- keyed -> latency_values: one row a measured time, with its window, slice, hour.
-- In:   keyed: events with window_start, slice_no · stage values are ms, finite and >= 0 (1_normalise sees to it)
-- hour_no: UTC hours since 1970; -1 = no timestamp (a number: cutting timestamps with a zone is six times slower)
-- Gamma 1.01: two values of one bucket differ by less than 1 %, so a percentile read from it is off by less than 0.5 %
-- Source: Masson, Rim, Lee 2019, DDSketch, doi 10.14778/3352063.3352135
create or replace macro latency_bucket(ms) as if(ms > 0, floor(ln(ms) / ln(1.01::double)), -100000)::integer;

-- whether a value is near an open rank, or above the least p95 it counts for (latency_ranges of latency.sql)
create or replace macro decides(ms, least_p95, open_lo, open_hi) as ms >= least_p95 or ms between open_lo and open_hi;

create or replace macro hour_no(moment) as coalesce(epoch_us(moment) // 3600000000, -1);

create or replace view latency_values as
select window_start, slice_no, is_hit, hour_no, e.key as stage, e.value as ms
from (select window_start, slice_no, coalesce(cache_hit, false) as is_hit, hour_no("timestamp") as hour_no, unnest(map_entries(stage_ms)) as e from keyed)
where e.key <> 'total' and e.value is not null
union all
select window_start, slice_no, coalesce(cache_hit, false), hour_no("timestamp"), 'total', total_ms from keyed where total_ms is not null;

-- what was read out of windows before and still holds (a store's closed days), in the shape of latency_read; else nothing
create or replace table latency_kept as
select null::timestamptz as window_start, null::integer as segment_no, ''::varchar as stage, ''::varchar as cache, null::bigint as n,
    null::double as mean_ms, null::double as max_ms, null::boolean as is_exact, null::double as p50_ms, null::double as p95_ms,
    null::double as p99_ms, ''::varchar as basis, null::double as p95_ci_low_ms, null::double as p95_ci_high_ms
where false;
