-- quality, quality_sums, labels -> labels_carry: what the labels at hand can carry, one row; label_suppliers: who made them.
-- In:   quality, metric_columns (is_headline: the metric it is said of), quality_sums, labels, opt_unit()
-- Out:  n_queries asked and labelled, n_effective: equally weighted ones; width: of the headline's 95 % interval, end to end; width_20_more: with 20 more
--       queries like these; judged: share of the first k that is judged, where judged is computed at that k · label_suppliers: documents labelled of a query (once, however often a log repeats it) and queries, by kind and judge, else person
-- Edge: no interval -> no width · Source: the width goes with t / sqrt(n): 4_aggregate/quality.sql
create or replace view labels_carry as
with
weights as (
    select q.label_no, if(opt_unit() = 'query', 1, sum(q.sums[c.position].n))::double as weight
    from quality_sums as q cross join (from metric_columns where is_headline) as c group by q.label_no having sum(q.sums[c.position].n) > 0
),
effective as (select count(*) as n_queries, pow(fine_sum(weight / (select sum(weight) from weights)), 2) / fine_sum(pow(weight / (select sum(weight) from weights), 2)) as n_effective from weights)
select q.metric, q.k, e.n_queries, e.n_effective, q.ci_high - q.ci_low as width,
    (q.ci_high - q.ci_low) * t_975(greatest(e.n_effective + 19, 2)) / t_975(greatest(e.n_effective - 1, 2)) * sqrt(e.n_effective / (e.n_effective + 20)) as width_20_more,
    j.value as judged
from quality as q inner join metric_columns as c on c.position = q.position and c.is_headline cross join effective as e
left join quality as j on j.metric = 'judged' and j.k is not distinct from q.k and j.window_start = q.window_start and j.segment_no = q.segment_no
where q.window_start = '-infinity' and q.segment_no = 0;

create or replace view label_suppliers as
select coalesce(kind, 'human') as kind, coalesce(judge, judged_by) as supplier, count(distinct (tenant_id, query_key(query_id, query_text), document_id)) as n_labels, count(distinct (tenant_id, query_key(query_id, query_text))) as n_queries
from (from labels union all by name from contract.labels) group by all order by n_labels desc, kind, supplier nulls first limit 10;
