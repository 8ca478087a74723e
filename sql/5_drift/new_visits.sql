-- drift_new_visits: per window of drift_order(unit_no, day_no), in the order of time: all visits, and those to queries that none of the
-- opt_unseen_windows() windows before it saw. Questions that live some days are new on every day; only more of them than usual are news.
-- In:   state_queries, drift_order(unit_no, day_no), opt_unseen_windows()
-- Key:  unit_no
create or replace macro opt_unseen_windows() as 7;
create or replace view drift_new_visits as
select unit_no, sum(n)::bigint as n_visits, coalesce(sum(n) filter (before is null or unit_no - before > opt_unseen_windows()), 0)::bigint as n_new
from (
    select unit_no, n, lag(unit_no) over (partition by query order by unit_no) as before
    from (select unit_no, query, sum(n_hours)::bigint as n from state_queries inner join drift_order using (day_no) group by unit_no, query))
group by unit_no
order by unit_no;
