-- both_minutes -> arm_runs: the times of two arms by runs, which machine, cache and hour move as one
-- In:   both_minutes: arm_minutes of both arms, is_b says of which
-- Out:  run: what one arm answered without the other in between, without a pause of an hour and within a day (UTC);
--       a minute in which both answered is a run of its own, is_shared
-- Key:  (is_b, stage, query_class, run)
create or replace table arm_runs as
with turns as (
    select minute, bool_or(not is_b) as has_a, bool_or(is_b) as has_b
    from both_minutes
    group by minute
),
numbered as (
    select *, sum(begins::integer) over (order by minute) as run
    from (
        select *, has_a and has_b or coalesce((has_a, has_b) <> lag((has_a, has_b)) over by_time, true)
            or minute - lag(minute) over by_time > 60 or minute // 1440 <> lag(minute // 1440) over by_time as begins
        from turns
        window by_time as (order by minute)
    )
)
select m.is_b, m.stage, m.query_class, t.run, t.has_a and t.has_b as is_shared, sum(m.n)::bigint as n, sum(m.log_ms)::decimal(38, 0) as log_ms
from both_minutes as m inner join numbered as t using (minute)
group by all
order by all;

-- whether most times of either arm are from minutes in which the other answered too
create or replace view arms_side_by_side as
select coalesce(min(of_arm), false) as is_so
from (select 2 * sum(n) filter (is_shared) >= sum(n) and count(distinct run) filter (is_shared) >= 3 as of_arm from arm_runs where stage is null group by is_b);
