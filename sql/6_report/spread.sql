-- latency_map by side -> spread: how a stage's times are distributed: the share of its recalls that took at most `ms`.
-- In:   latency_map whose window_start is a side (sides.sql); report_sides(side_at, side)
-- Key:  (side, stage, ms); recalls answered from a cache are left out
-- Out:  ms = largest value of eight neighbouring log buckets (8 %: as fine as a picture shows); share = ratio 0..1, exact at these points
create or replace view spread as
with grouped as (
    select s.side, m.stage, m.bucket // 8 as step, sum(m.n) as n, max(m.hi) as ms
    from latency_map as m inner join report_sides as s on s.side_at = m.window_start
    where m.bucket is not null and not m.is_hit
    group by all
)
select side, stage, ms, (sum(n) over up_to)::double / sum(n) over (partition by side, stage) as share, (sum(n) over (partition by side, stage))::bigint as n
from grouped
window up_to as (partition by side, stage order by step)
order by side, stage <> 'total', stage, ms;
