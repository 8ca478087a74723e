-- units -> picked: a sample of queries whose inclusion probabilities are known, in place of the suggestions of suggest.sql.
-- In:   units (suggest.sql), opt_suggest_n(): how many; opt_sample_of(): traffic (probability proportional to recalls) | queries (equal);
--       opt_sample_by(): query_class = a class gets its share of the sample, at least 2 | null; opt_seed()
-- Key:  task · Out: inclusion_probability; reasons = [sample]
-- Edge: a query as large as the share of one draw, or larger, is certain (probability 1) · each query has a number of its own from seed and name, the order is
--       number / size: a larger sample holds the smaller one, and the first lines of a sample are a sample
-- Source: sequential Poisson sampling, Ohlsson 1998, Journal of Official Statistics 14, 149-162
create or replace table picked as
with
sized as (
    select group_no, if(opt_sample_by() = 'query_class', query_class, null) as stratum, if(opt_sample_of() = 'queries', 1, n)::bigint as size,
        ((hash(opt_seed() || chr(0) || coalesce(tenant_id, '') || chr(0) || asked_key) % 1048576) + 1) / 1048577 as number
    from units where asked_key is not null
),
strata as (
    select stratum, least(count(*), greatest(if(opt_sample_by() = 'query_class', 2, 1), round(opt_suggest_n() * sum(size) / (select sum(size) from sized)))) as m, sum(size) as total
    from sized group by stratum
),
ordered as (
    select s.*, t.m, t.total, row_number() over largest - 1 as before, coalesce(sum(s.size) over (largest rows between unbounded preceding and 1 preceding), 0) as sum_before
    from sized as s inner join strata as t on t.stratum is not distinct from s.stratum
    window largest as (partition by s.stratum order by s.size desc, s.group_no)
),
certain as (
    select *, bool_and(size * (m - before) >= total - sum_before and before < m) over (partition by stratum order by size desc, group_no rows unbounded preceding) as is_certain from ordered
),
probabilities as (
    select *, if(is_certain, 1.0, (m - count(*) filter (is_certain) over (partition by stratum)) * size
        / nullif(total - coalesce(sum(size) filter (is_certain) over (partition by stratum), 0), 0)) as inclusion_probability
    from certain
),
drawn as (
    select * from probabilities qualify row_number() over (partition by stratum order by is_certain desc, number / size, group_no) <= m
)
select group_no, row_number() over (order by number / size, group_no)::integer as task, ['sample'] as reasons, inclusion_probability::double as inclusion_probability from drawn;
