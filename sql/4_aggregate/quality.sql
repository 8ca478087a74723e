-- quality_sums (map: one row per window, slice, query, error or not) -> quality (read-out: one row per window, segment, metric).
-- In:   quality_sums(window_start, slice_no, label_no, label_from, is_error, n_events, depth, sums {n, sum}[]; sum in units of 2^-62, exact.sql)
--       metric_columns(position, metric, k, needs: what a label must have to count), query_attainable(label_no, label_from, attainable double[]), levels(by_window), slice_segments, segments
--       quality_kept: windows read out before, in the shape of quality: they are not summed again, so quality_long lacks them
--       quality_sums of several sources merge by SUM (MAX for depth) before this file.
-- Key of quality: (window_start, segment_no, position); window_start null = all, segment_no 0 = everything
-- Edge: fewer than 5 effective queries (1 / sum of squared weights) -> no interval · no query differs from another (all hits, no hits) -> Wilson's
--       interval on the effective queries (exact.sql), never one of width 0
-- Source: Miller 2024, arXiv 2411.00640 (clustered errors); weights and floor of the variance: docs/metrics.md
create or replace table quality_long as
select if(by_window, window_start, '-infinity') as window_start, segment_no, label_no, position,
    sum(m.n)::bigint as n, sum(m.n) filter (is_error)::bigint as n_errors, sum(m.sum) as total, sum(m.sum) filter (is_error) as total_errors,
    max(depth) as depth, sum(m.n::hugeint * best) as total_best
from (
    select q.window_start, g.segment_no, q.label_no, q.is_error, q.depth, unnest(q.sums) as m, generate_subscripts(q.sums, 1) as position,
        in_units(unnest(a.attainable)) as best, l.by_window
    from quality_sums as q inner join slice_segments as g using (slice_no) cross join levels as l left join query_attainable as a using (label_no, label_from)
    where not (l.by_window and (q.window_start is null or q.window_start in (select window_start from quality_kept))))
group by all;

-- missing = zero: a labelled query that a group never asked counts as one event of value 0 (trec_eval -c). A label without tenant is no missing one
-- where any tenant of the group asked its query, nor where the group is a tenant that has a label of its own for it.
insert into quality_long
with groups as (select distinct window_start, segment_no from quality_long)
select g.window_start, g.segment_no, q.label_no, c.position, 1, 0, 0, 0, null,
    (select in_units(max(a.attainable[c.position])) from query_attainable as a where a.label_no = q.label_no)
from groups as g cross join labelled_queries as q cross join metric_columns as c
left join segments as s on s.segment_no = g.segment_no
where opt_missing() = 'zero' and c.needs <> 'list'
    and case c.needs when 'gold_answers' then q.gold_answers is not null else case when c.level is not null then len(list_filter(q.label.ideal, lambda g: g >= c.level))
            when c.needs = 'gain' then n_gains(q.label) else q.label.n_relevant end > 0
        or opt_no_relevant() <> 'skip' end
    and (c.needs <> 'gain' or opt_ndcg_over() = 'all' or q.is_graded)
    and coalesce(s.segment['query_class'] = q.query_class, true) and coalesce(s.segment['tenant_id'] = q.tenant_id, true)
    and not exists (
        select 1 from quality_long as l inner join labelled_queries as o using (label_no)
        where l.window_start = g.window_start and l.segment_no = g.segment_no and (l.label_no = q.label_no or (q.tenant_id is null and o.query_key = q.query_key)))
    and not exists (select 1 from labelled_queries as o where q.tenant_id is null and o.query_key = q.query_key and o.tenant_id = s.segment['tenant_id']);

create or replace table quality as
with
queries as (  -- one row per group, metric and query that counts
    select *, mean_of(total, n) as mean, mean_of(total - coalesce(total_errors, 0), n - coalesce(n_errors, 0)) as mean_without_errors, mean_of(total_best, n) as best from quality_long where n > 0
),
groups as (
    select window_start, segment_no, position, sum(n)::bigint as n, count(*) as n_queries, sum(n_errors)::bigint as n_errors, max(depth) as depth,
        mean_of(sum(total), sum(n)) as by_event, exact_mean(mean) as by_query,
        if(opt_unit() = 'query', exact_mean(mean_without_errors), mean_of(sum(total) - coalesce(sum(total_errors), 0), sum(n) - coalesce(sum(n_errors), 0))) as without_errors,
        mean_of(sum(total_best), sum(n)) as best_by_event, exact_mean(best) as best_by_query, max(n)::double / sum(n) as largest_share
    from queries group by all
),
spread as (
    select q.window_start, q.segment_no, q.position,
        fine_sum(power(if(opt_unit() = 'query', 1.0 / g.n_queries, q.n::double / g.n), 2)) as sum_w2,
        fine_sum(power(if(opt_unit() = 'query', 1.0 / g.n_queries, q.n::double / g.n) * (q.mean - if(opt_unit() = 'query', g.by_query, g.by_event)), 2)) as v_weighted,
        fine_sum(power(q.mean - g.by_query, 2)) / nullif(any_value(g.n_queries) - 1, 0) as s2
    from queries as q inner join groups as g
        on g.window_start = q.window_start and g.segment_no = q.segment_no and g.position = q.position
    group by all
),
intervals as (
    select *, interval_half(sum_w2, v_weighted, s2) as half from spread
),
ends as (
    select g.window_start, g.segment_no, g.position, if(opt_unit() = 'query', g.by_query, g.by_event) as value, i.half < 1e-9 as is_flat,
        if(is_flat, wilson_mid(value, 1 / i.sum_w2), value) as middle, if(is_flat, wilson_half(value, 1 / i.sum_w2), i.half) as half
    from groups as g inner join intervals as i on i.window_start = g.window_start and i.segment_no = g.segment_no and i.position = g.position
)
select g.window_start, g.segment_no, g.position, c.metric, c.k,
    i.value, g.by_query as value_by_query,
    if(coalesce(g.n_errors, 0) > 0, g.without_errors, null) as value_without_errors,
    if(c.needs = 'list', null, if(opt_unit() = 'query', g.best_by_query, g.best_by_event)) as attainable,
    c.k is not null and c.k > coalesce(g.depth, 0) as truncated,
    g.n, g.n_queries, coalesce(g.n_errors, 0) as n_errors, g.largest_share,
    if(i.half is null, null, greatest(0.0, least(i.value, i.middle - i.half))) as ci_low, if(i.half is null, null, least(1.0, greatest(i.value, i.middle + i.half))) as ci_high
from groups as g inner join metric_columns as c using (position)
inner join ends as i on i.window_start = g.window_start and i.segment_no = g.segment_no and i.position = g.position
order by g.window_start nulls first, g.segment_no, g.position;

-- f1 = of_means: F1 of the mean precision and the mean recall, in place of the mean of F1 (no interval: it is no mean)
create or replace macro harmonic(p, r) as coalesce(2 * p * r / nullif(p + r, 0), 0.0);
create or replace table quality as
select q.* exclude (is_of_means) replace (
    if(is_of_means, harmonic(p.value, r.value), q.value) as value, if(is_of_means, harmonic(p.value_by_query, r.value_by_query), q.value_by_query) as value_by_query,
    if(is_of_means, harmonic(p.attainable, r.attainable), q.attainable) as attainable,
    if(is_of_means, null, q.value_without_errors) as value_without_errors, if(is_of_means, null, q.ci_low) as ci_low, if(is_of_means, null, q.ci_high) as ci_high)
from (select *, metric = 'f1' and opt_f1() = 'of_means' as is_of_means from quality) as q
left join quality as p on q.is_of_means and p.metric = 'precision' and p.k is not distinct from q.k and p.window_start = q.window_start and p.segment_no = q.segment_no
left join quality as r on q.is_of_means and r.metric = 'recall' and r.k is not distinct from q.k and r.window_start = q.window_start and r.segment_no = q.segment_no;

insert into quality by name select * from quality_kept where window_start in (select window_start from quality_sums);
