-- kind_means, labels -> judge_estimates: a metric over all queries that a judge labelled, from few human labels and the judge's, with an interval that holds.
-- In:   kind_means (kind_means.sql) of the kinds human and judge; metric_columns; opt_unit(): weights are recalls (event) or 1 (query)
-- Out:  value = human mean + lambda (judge's mean over all its queries - its mean over those that humans label too); human_value: of human labels alone;
--       judge_value: of the judge's alone, which is no estimate of anything; n queries of both, n_judge of the judge; n_needed: human labels that
--       would have as narrow an interval alone
-- Key:  position
-- Edge: n < 10 -> lambda 0 (then it is the human mean) · no spread of the judge's values -> lambda 0 · fewer than 2 queries, or no spread at all -> no interval
--       · a query that humans label and the judge does not is left out · an inclusion probability of the human labels weighs its query 1 / probability
-- Source: Angelopoulos et al. 2023, arXiv 2301.09633 and (lambda) 2311.01453; variance of the weighted mean by linearisation with finite-population
--       factor: Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, 5.5 to 5.7; t on n - 1, or n - 2 where lambda was fitted too: with n - 1 the interval covered 92 % at n = 20
create or replace table judge_estimates as
with
drawn as (select tenant_id, query_key(query_id, query_text) as query_key, min(inclusion_probability) as probability from labels where kind = 'human' group by all),
of_judge as (
    select "position", count(*) as n_judge, sum(weight * mean) / sum(weight) as judge_value
    from (select *, if(opt_unit() = 'query', 1, n) as weight from kind_means where kind = 'judge') group by "position"
),
pairs as (
    select "position", h.mean as h, j.mean as j, coalesce(d.probability, count(*) over (partition by "position") / o.n_judge) as probability,
        if(opt_unit() = 'query', 1, j.n) / coalesce(d.probability, 1) as weight, count(*) over (partition by "position") as n
    from (from kind_means where kind = 'human') as h
    inner join (from kind_means where kind = 'judge') as j using ("position", query_key)
    inner join of_judge as o using ("position")
    left join drawn as d on d.query_key = h.query_key and d.tenant_id is not distinct from h.tenant_id
    where h.tenant_id is not distinct from j.tenant_id
),
means as (select "position", sum(weight) as total, sum(weight * h) / sum(weight) as mean_h, sum(weight * j) / sum(weight) as mean_j from pairs group by "position"),
slopes as (
    select "position", if(any_value(n) < 10, 0.0, coalesce(sum(weight * (h - mean_h) * (j - mean_j)) / nullif(sum(weight * power(j - mean_j, 2)), 0), 0.0)) as slope
    from pairs inner join means using ("position") group by "position"
),
variances as (
    select "position", any_value(n) as n, any_value(total) as total, any_value(mean_h) as mean_h, any_value(mean_j) as mean_j, any_value(slope) as slope, if(any_value(slope) = 0, 1, 2) as n_fitted,
        any_value(n) / nullif(any_value(n) - 1, 0) * sum((1 - probability) * power(weight / total * (h - mean_h), 2)) as v_h,
        any_value(n) / nullif(any_value(n) - n_fitted, 0) * sum((1 - probability) * power(weight / total * (h - mean_h - slope * (j - mean_j)), 2)) as v
    from pairs inner join means using ("position") inner join slopes using ("position") group by "position"
)
select c.metric, c.k, mean_h + slope * (judge_value - mean_j) as value, if(n > 2 and v > 1e-18, t_975(n - n_fitted) * sqrt(v), null) as half,
    mean_h as human_value, if(n > 2 and v_h > 1e-18, t_975(n - 1) * sqrt(v_h), null) as human_half, judge_value, slope as "lambda", n, n_judge,
    if(v > 1e-18, round(n * v_h / v)::bigint, null) as n_needed
from variances inner join of_judge using ("position") inner join metric_columns as c using ("position")
order by "position";
