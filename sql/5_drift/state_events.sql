-- drift_events -> state_events: what happened to events, per hour and segment; merges by SUM.
-- In:   drift_events
-- Key:  (day_no, h, query_class, tenant_id, variant, index_version)
-- depth: of the longest list, logged or asked for
-- n_duplicate_ids: of labelled events, as in the counts of an evaluation; without labels of all (n_looked_at) · n_timed: events that should carry stage times (no error, no cache hit)
create or replace table state_events as
select day_no, h, query_class, tenant_id, variant, index_version,
    count(*) as n, count(*) filter (is_labelled) as n_labelled, count(*) filter (is_error) as n_error,
    count(*) filter (len(ranked_ids) = 0 and not is_error) as n_empty,
    count(*) filter (list_count(ranked_ids) < len(ranked_ids)) as n_null_ids,
    count(*) filter (is_labelled or not has_labels()) as n_looked_at,
    count(*) filter ((is_labelled or not has_labels()) and has_repeats(ranked_ids)) as n_duplicate_ids,
    count(*) filter (list_contains(flags, 'latency_invalid')) as n_invalid,
    count(cache_hit) as n_cache_known, count(*) filter (is_hit) as n_hits,
    count(*) filter (not is_error and not is_hit) as n_timed,
    count(*) filter (not is_error and not is_hit and coalesce(total_ms, stage_ms['total']) is not null) as n_total,
    max(greatest(len(ranked_ids), coalesce(top_k, 0))) as depth, min("timestamp") as first_at, max("timestamp") as last_at
from drift_events
group by day_no, h, query_class, tenant_id, variant, index_version;
