-- quality_kept: what was read out of windows before and still holds (a store's closed days), in the shape of quality; here nothing.
-- Key:  (window_start, segment_no, position)
create or replace table quality_kept as
select null::timestamptz as window_start, null::integer as segment_no, null::integer as position, ''::varchar as metric, null::integer as k, null::double as value,
    null::double as value_by_query, null::double as value_without_errors, null::double as attainable, null::boolean as truncated, null::bigint as n,
    null::bigint as n_queries, null::bigint as n_errors, null::double as largest_share, null::double as ci_low, null::double as ci_high
where false;
