-- quality_sums, labels -> sampled: a metric over all traffic, from the queries of a sample whose inclusion probabilities are known.
-- In:   labels with inclusion_probability (sample.sql draws them), labelled_queries, quality_sums, metric_columns, opt_unit()
-- Key:  position · Out: value with its 95 % interval; n_queries of the sample
-- Edge: queries without a probability are no part of it · fewer than 3 queries, or no spread -> no interval · a query drawn for certain adds no error
-- Source: Hájek 1971, in Foundations of Statistical Inference, 236 (the ratio estimate); variance by linearisation with n / (n - 1):
--       Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, 5.7; t on n - 1
create or replace table sampled as
with
drawn as (
    select tenant_id, query_key(query_id, query_text) as query_key, min(inclusion_probability) as probability from labels where inclusion_probability is not null and kind = 'human' group by all
),
means as (
    select s.position, d.probability, mean_of(sum(s.m.sum), sum(s.m.n)) as mean, if(opt_unit() = 'query', 1, sum(s.m.n)) / d.probability as weight
    from (select label_no, unnest(sums) as m, generate_subscripts(sums, 1) as position from quality_sums) as s
    inner join labelled_queries as q using (label_no)
    inner join drawn as d on d.query_key = q.query_key and d.tenant_id is not distinct from q.tenant_id
    where q.kind = 'human' group by s.position, s.label_no, d.probability having sum(s.m.n) > 0
),
ratios as (select position, count(*) as n, sum(weight) as total, sum(weight * mean) / sum(weight) as value from means group by position),
spread as (
    select position, any_value(n) as n, any_value(value) as value, any_value(n) / nullif(any_value(n) - 1, 0) * sum((1 - probability) * power(weight / total * (mean - value), 2)) as v
    from means inner join ratios using (position) group by position
),
ends as (select *, if(n > 2 and v > 1e-18, t_975(n - 1) * sqrt(v), null) as half from spread)
select c.metric, c.k, e.value, greatest(0.0, e.value - e.half) as ci_low, least(1.0, e.value + e.half) as ci_high, e.n as n_queries
from ends as e inner join metric_columns as c using (position) order by position;
