-- quality, latency by variant and repeat -> stability: how much each number varies between repeats of the same thing.
-- In:   quality, quality_long, metric_columns, latency, segments (one a variant and repeat), variant_recalls, labelled_queries
--       stability_of, one row: by (the name that tells repeats apart), k (of overlap_at_k), p (of rbo)
-- Out:  stability_runs: which segment is which repeat of which cell (cell = what is repeated: a variant)
--       stability: mean, sd (n - 1), min, max of each measure over a cell's repeats; n_flips = queries whose value differs between them
--       stability_flips: those queries · stability_similarity: each repeat's rankings against the next one's
--       stability_bands: how far two single runs lie apart by chance: t .975 x sd x sqrt(2), sd pooled over cells with their degrees of freedom
-- Key:  (cell_no, measure) · (cell_no, measure, query) · cell_no · (cell_no, measure), cell_no null = pooled
-- Edge: events without a repeat or a variant are left out · one repeat: sd null · fewer than 3 repeats in all: band null
--       · a query asked twice in one repeat: its mean for the values, its first ranking for the similarity
-- Source: sd: sample standard deviation · the band is the .95 prediction interval of the difference of two runs under normal errors
create or replace table stability_runs as
select segment_no, segment, segment["by"] as run, cell, dense_rank() over (order by map_values(cell))::integer as cell_no
from (select segment_no, segment, o."by", map_from_entries(list_filter(map_entries(segment), lambda e: e.key <> o."by")) as cell from segments cross join stability_of as o)
where segment_no > 0 and list_bool_and(list_transform(map_values(segment), lambda v: v is not null));

create or replace table stability_values as
select r.cell_no, r.run, c.metric || coalesce('@' || c.k, '') as measure, 'ratio' as unit, q.value, q.n, q.position as place
from stability_runs as r inner join quality as q using (segment_no) inner join metric_columns as c using (position)
union all
select cell_no, run, e.name || ':' || stage, 'ms', e.value, n, 1000 + if(stage = 'total', 0, 10) + e.place
from (select r.cell_no, r.run, l.stage, l.n, unnest([
        {'name': 'mean', 'value': l.mean_ms, 'place': 1}, {'name': 'p50', 'value': l.p50_ms, 'place': 2}, {'name': 'p95', 'value': l.p95_ms, 'place': 3}]) as e
    from stability_runs as r inner join latency as l on l.segment = r.segment and l.cache = 'all');

-- a query's value in each repeat
create or replace table stability_queries as
select r.cell_no, l.label_no, c.position, c.metric || coalesce('@' || c.k, '') as measure, count(*)::integer as n_repeats,
    min(mean_of(l.total, l.n)) as low, max(mean_of(l.total, l.n)) as high
from quality_long as l inner join stability_runs as r using (segment_no) inner join metric_columns as c using (position)
where l.n > 0
group by all;

create or replace table stability as
with
means as (select cell_no, measure, unit, place, count(*)::integer as n_repeats, fine_sum(value) / count(*) as mean, min(value) as low, max(value) as high, sum(n)::bigint as n_events
    from stability_values where value is not null group by all),
spread as (
    select m.cell_no, m.measure, sqrt(fine_sum(power(v.value - m.mean, 2)) / nullif(any_value(m.n_repeats) - 1, 0)) as sd
    from stability_values as v inner join means as m using (cell_no, measure) where v.value is not null group by all),
flips as (select cell_no, measure, count(*)::integer as n_queries, count(*) filter (high - low > 1e-9)::integer as n_flips from stability_queries group by all)
select m.cell_no, m.measure, m.unit, m.n_repeats, m.n_events, m.mean, s.sd, m.low as min, m.high as max, f.n_queries, f.n_flips, m.place
from means as m inner join spread as s using (cell_no, measure) left join flips as f using (cell_no, measure)
order by m.cell_no, m.place, m.measure;

create or replace view stability_flips as
select s.cell_no, s.measure, q.tenant_id, q.query_id, q.query_text, q.query_class, s.n_repeats, s.low as min, s.high as max
from stability_queries as s inner join labelled_queries as q using (label_no)
where s.high - s.low > 1e-9
order by s.cell_no, s.position, s.high - s.low desc, s.label_no;

-- rankings: compare_rankings of 5_drift/arms.sql, one arm a segment; each repeat against the next, so that cost grows with the log
create or replace table stability_similarity as
with
ranked as (
    select r.cell_no, c.query, c.ids, lead(c.ids) over (partition by r.cell_no, c.query order by r.run) as next_ids
    from compare_rankings as c inner join stability_runs as r on r.segment_no = c.arm),
pairs as (select cell_no, query, ids = next_ids as is_same, ids, next_ids from ranked where next_ids is not null)
select cell_no, count(*)::bigint as n_pairs, count(*) filter (is_same)::bigint as n_same, count(distinct query)::bigint as n_queries,
    count(distinct query) filter (not is_same)::bigint as n_queries_differ,
    fine_sum(if(is_same, 1.0::double, overlap_at_k(ids, next_ids, k))) / count(*) as overlap,
    fine_sum(if(is_same, 1.0::double, rbo(ids, next_ids, p))) / count(*) as rbo
from pairs cross join stability_of group by cell_no order by cell_no;

create or replace view stability_bands as
with pooled as (
    select if(by_cell, cell_no, null) as cell_no, measure, unit, place, sum(n_repeats - 1)::integer as df,
        sqrt(fine_sum(power(sd, 2) * (n_repeats - 1)) / sum(n_repeats - 1)) as sd
    from stability cross join (values (true), (false)) as t(by_cell)
    where n_repeats > 1
    group by all
)
select cell_no, measure, unit, df, sd, if(df < 2, null, t_975(df) * sd * sqrt(2)) as band
from pooled order by cell_no nulls first, place, measure;
