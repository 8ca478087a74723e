-- quality_sums by side -> before_after: one row a labelled query and metric that both sides asked: its mean before and after.
-- In:   quality_sums whose window_start is a side (sides.sql); report_sides(side_at, side): 'reference' and 'current'
-- Key:  (label_no, position)
-- Edge: events with status error are left out, as in the drift test · compared exactly, cross-multiplied: no rounding dust
-- verdict: worse, better or same; change = after - before
create or replace view before_after as
with
sums as (
    select s.side, q.label_no, q.position, sum(q.m.n)::hugeint as n, sum(q.m.sum)::hugeint as total
    from (select window_start, label_no, unnest(sums) as m, generate_subscripts(sums, 1) as position from quality_sums where not is_error) as q
    inner join report_sides as s on s.side_at = q.window_start
    group by all having sum(q.m.n) > 0
)
select a.label_no, l.query_id, l.query_text, l.query_class, l.tenant_id, c.metric, c.k, b.n::bigint as n_before, a.n::bigint as n_after,
    mean_of(b.total, b.n) as before, mean_of(a.total, a.n) as after,
    case when a.total * b.n < b.total * a.n then 'worse' when a.total * b.n > b.total * a.n then 'better' else 'same' end as verdict,
    if(a.total * b.n = b.total * a.n, 0.0, mean_of(a.total, a.n) - mean_of(b.total, b.n)) as change
from sums as b
inner join sums as a on a.label_no = b.label_no and a.position = b.position and a.side = 'current'
inner join metric_columns as c on c.position = b.position
inner join labelled_queries as l on l.label_no = b.label_no
where b.side = 'reference'
order by b.position, change, b.label_no;
