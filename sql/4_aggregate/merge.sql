-- mapped_sums -> merged_sums: sums of several sources as if they were one; by SUM, MIN, MAX and the smallest three.
-- In:   mapped_sums: rows of the tables that 4_aggregate maps a source to, one under the other: rw_table = which table,
--       by_values = the segment by its values (numbers of segments differ between sources), then the tables' own columns
-- Out:  merged_sums, of the same shape, one row a key. Merging twice, or in any order, gives the same rows.
-- Key:  (rw_table, by_values) and the table's own key
create or replace table merged_sums as
with
points as (  -- sums of a query, one row a metric column; what is no metric is the same on each row
    select by_values, window_start, label_no, label_from, is_error, position,
        sum(n_events)::bigint as n_events, max(depth) as depth, sum(n_empty)::bigint as n_empty, sum(n_unscorable)::bigint as n_unscorable,
        sum(n_repeats)::bigint as n_repeats, sum(n_out_of_order)::bigint as n_out_of_order, sum(n_broken_scores)::bigint as n_broken_scores,
        sum(m.n)::bigint as n, sum(m.sum) as total
    from (select *, unnest(sums) as m, generate_subscripts(sums, 1) as position from mapped_sums where rw_table = 'quality_sums')
    group by all
),
trace_ids as (
    select by_values, label_no, min(id, 3) as trace_ids
    from (select by_values, label_no, unnest(trace_ids) as id from mapped_sums where rw_table = 'example_sums') group by all
),
event_ids as (
    select by_values, label_no, min(id, 3) as event_ids
    from (select by_values, label_no, unnest(event_ids) as id from mapped_sums where rw_table = 'example_sums') group by all
)
select 'quality_sums' as rw_table, by_values, window_start, label_no, label_from, is_error, any_value(n_events) as n_events, any_value(depth) as depth,
    any_value(n_empty) as n_empty, any_value(n_unscorable) as n_unscorable, any_value(n_repeats) as n_repeats,
    any_value(n_out_of_order) as n_out_of_order, any_value(n_broken_scores) as n_broken_scores,
    list({'n': n, 'sum': total} order by position) as sums
from points group by all
union all by name
select rw_table, by_values, window_start, sum(n_events)::bigint as n_events, sum(n_errors)::bigint as n_errors,
    sum(n_shared_texts)::bigint as n_shared_texts, sum(n_without_time)::bigint as n_without_time, min(first_at) as first_at, max(last_at) as last_at,
    sum(n_cache_known)::bigint as n_cache_known, sum(n_cache_hits)::bigint as n_cache_hits,
    sum(n_input)::bigint as n_input, sum(input_tokens) as input_tokens, sum(n_output)::bigint as n_output, sum(output_tokens) as output_tokens,
    sum(n_cost)::bigint as n_cost, sum(cost_usd) as cost_usd
from mapped_sums where rw_table = 'event_sums' group by all
union all by name
select rw_table, by_values, window_start, stage, is_hit, bucket, day_no, hour_no, sum(n)::bigint as n, min(lo) as lo, max(hi) as hi, sum(sum_ms) as sum_ms
from mapped_sums where rw_table = 'latency_map' group by all
union all by name
select rw_table, by_values, label_no, document_id, sum(n_found)::bigint as n_found, min(best_rank) as best_rank, max(worst_rank) as worst_rank,
    sum(sum_rank)::bigint as sum_rank
from mapped_sums where rw_table = 'found_sums' group by all
union all by name
select rw_table, by_values, window_start, strategy, k, sum(n_events)::bigint as n_events, sum(n_relevant)::bigint as n_relevant,
    sum(n_found)::bigint as n_found, sum(n_exact)::bigint as n_exact
from mapped_sums where rw_table = 'match_sums' group by all
union all by name
select 'example_sums' as rw_table, k.by_values, k.label_no, t.trace_ids, e.event_ids
from (select distinct by_values, label_no from mapped_sums where rw_table = 'example_sums') as k
left join trace_ids as t using (by_values, label_no)
left join event_ids as e using (by_values, label_no)
union all by name
select rw_table, by_values, window_start, sum(n_empty)::bigint as n_empty, sum(n_unscorable)::bigint as n_unscorable, sum(n_null_ids)::bigint as n_null_ids
from mapped_sums where rw_table = 'list_sums' group by all
union all by name
select rw_table, by_values, window_start, length, sum(n)::bigint as n, sum(n_repeats)::bigint as n_repeats, sum(n_top)::bigint as n_top, sum(top) as top,
    sum(n_margin)::bigint as n_margin, sum(margin) as margin
from mapped_sums where rw_table = 'shown_lists' group by all
union all by name
select rw_table, by_values, window_start, day, query, document_id, sum(n)::bigint as n from mapped_sums where rw_table = 'shown_documents' group by all
union all by name
select rw_table, by_values, flag, sum(n)::bigint as n from mapped_sums where rw_table = 'flag_sums' group by all;
