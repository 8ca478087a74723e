-- pareto_points, quality_long -> pareto: the front, the knee, what is dominated and what is paid for nothing.
-- In:   pareto_points (pareto_points.sql), quality_long, pareto_axes
-- Out:  is_front: no variant is at least as good in both and better in one · dominated_by: the cheapest such variant
--       same_as: the cheapest variant with the same y on every query, where that is not itself: what is paid beyond it buys nothing
--       is_knee: by Kneedle on the best y that can be had for a budget x, from the cheapest variant to the dearest:
--       both axes scaled to 0..1, the knee is where y - x is largest (furthest above the straight line); of equal ones the cheapest
-- Key:  segment_no
-- Edge: a variant without x or y is on no front · two variants alike in both are both on it · the best is the cheapest = the knee
--       · is_log, but some x is 0 -> linear · no variant above the line -> no knee
-- Source: Satopaa, Albrecht, Irwin, Raghavan 2011, Kneedle, doi 10.1109/ICDCSW.2011.20 (without smoothing: every point is a mean)

-- equal answers: the same mean on every query
create or replace table pareto_alike as
select segment_no, md5(string_agg(label_no || ':' || round(mean_of(total, n), 9), ' ' order by label_no)) as answers
from quality_long
where position = (select y_position from pareto_axes) and n > 0 and segment_no > 0
group by segment_no;

create or replace table pareto_dominated as
select p.segment_no, arg_min(o.segment_no, (o.x, -o.y, o.segment_no)) as dominated_by
from pareto_points as p inner join pareto_points as o on o.x <= p.x and o.y >= p.y and (o.x < p.x or o.y > p.y)
group by p.segment_no;

create or replace table pareto_same as
select p.segment_no, arg_min(o.segment_no, (o.x, o.segment_no)) as same_as
from pareto_points as p
inner join pareto_alike as a on a.segment_no = p.segment_no
inner join pareto_alike as b on b.answers = a.answers and b.segment_no <> a.segment_no
inner join pareto_points as o on o.segment_no = b.segment_no and o.x < p.x and o.n_queries = p.n_queries
group by p.segment_no;

create or replace table pareto_knee as
with
scales as (select *, if((select is_log from pareto_axes) and min(x) over () > 0, ln(x), x) as place from pareto_points where x is not null and y is not null),
ends as (select min(place) as low, max(place) as high, max(y) as best from scales),
front as (select * from scales where segment_no not in (select segment_no from pareto_dominated)),
worst as (select min(y) as least, max(y) as most from front),
heights as (
    select f.segment_no, f.x, (f.y - w.least) / nullif(e.best - w.least, 0) - (f.place - e.low) / nullif(e.high - e.low, 0) as above
    from front as f cross join ends as e cross join worst as w
)
select arg_min(segment_no, (-coalesce(above, 0), x, segment_no)) as segment_no, max(above) as above
from heights cross join worst as w
having max(above) > 1e-12 or any_value(w.least = w.most);

create or replace view pareto as
select p.*, (p.x is not null and p.y is not null and d.segment_no is null) as is_front, k.segment_no is not null as is_knee, k.above,
    d.dominated_by, s.same_as, p.x - o.x as x_over_same
from pareto_points as p
left join pareto_dominated as d using (segment_no)
left join pareto_same as s using (segment_no)
left join pareto_points as o on o.segment_no = s.same_as
left join pareto_knee as k on k.segment_no = p.segment_no
order by p.x is null, p.x, p.y desc, p.segment_no;
