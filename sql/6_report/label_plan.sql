-- quality_sums -> label_plan: how many labelled queries a metric needs for an interval of a width, or to see a difference, overall and in each class.
-- In:   quality_sums, slice_segments, segments (by query_class), opt_unit(); opt_width(): of the 95 % interval, end to end; opt_detect(): a difference
--       between two variants or windows on the same queries; either null; opt_power_z(): normal quantile of the power
-- Key:  segment · Out: n_queries labelled and asked; n_effective: equally weighted ones; spread: standard deviation of queries' means, weighted as the mean is;
--       is_worst_case: no spread was seen, so the widest that values between 0 and 1 can have (.5); width, width_20_more: of the interval now and with 20 more queries;
--       detectable: the difference that the present ones see; n_needed
-- Edge: differences on the same queries are taken to spread as wide as the values: wider than most do · under 3 effective queries -> no width
-- Source: n = (2 t s / width)^2 and n = ((t + z) s / difference)^2, t at n - 1, solved by iteration: Cohen 1988, Statistical Power Analysis, 2
create or replace macro queries_for(factor, add) as pow((1.959963984540054 + add) * factor, 2);
create or replace macro queries_again(n, factor, add) as pow((t_975(greatest(n - 1, 2.0)) + add) * factor, 2);
create or replace macro queries_needed(factor, add) as  -- least n with (t + add) * factor <= sqrt(n)
    greatest(3, ceil(queries_again(queries_again(queries_again(queries_for(factor, add), factor, add), factor, add), factor, add) - 1e-9))::bigint;

create or replace view label_plan as
with
means as (
    select g.segment_no, q.label_no, mean_of(sum(q.m.sum), sum(q.m.n)) as mean, if(opt_unit() = 'query', 1, sum(q.m.n))::double as weight
    from (select slice_no, label_no, unnest(sums) as m from quality_sums) as q inner join slice_segments as g using (slice_no) group by all having sum(q.m.n) > 0
),
sums as (
    select segment_no, count(*) as n_queries, fine_sum(weight) as total, pow(fine_sum(weight), 2) / fine_sum(weight * weight) as n_effective, fine_sum(weight * mean) / fine_sum(weight) as value
    from means group by segment_no
),
spreads as (
    select segment_no, any_value(n_queries) as n_queries, any_value(n_effective) as n_effective, any_value(value) as value,
        sqrt(fine_sum(weight * pow(mean - value, 2)) / any_value(total) * any_value(n_queries) / nullif(any_value(n_queries) - 1, 0)) as seen
    from means inner join sums using (segment_no) group by segment_no
),
planned as (select *, coalesce(seen, 0) < 1e-9 as is_worst_case, if(is_worst_case, 0.5, seen) as spread from spreads)
select s.segment, p.n_queries, p.n_effective, p.value, p.spread, p.is_worst_case,
    if(p.n_effective < 3, null, 2 * t_975(p.n_effective - 1) * p.spread / sqrt(p.n_effective)) as width,
    2 * t_975(greatest(p.n_effective + 19, 2)) * p.spread / sqrt(p.n_effective + 20) as width_20_more,
    if(p.n_effective < 3, null, (t_975(p.n_effective - 1) + opt_power_z()) * p.spread / sqrt(p.n_effective)) as detectable,
    case when opt_width() is not null then queries_needed(2 * p.spread / opt_width(), 0) when opt_detect() is not null then queries_needed(p.spread / opt_detect(), opt_power_z()) end as n_needed
from planned as p inner join segments as s using (segment_no)
order by p.segment_no;
