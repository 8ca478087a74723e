-- drift_unseen: how many visits of the current window are to queries that the reference never saw, and how many chance alone gives.
-- In:   state_queries, drift_sides(day_no, side)
-- Out:  per number of visits (reference, current): how many queries
-- A visit is a query in an hour. If nothing changed, each of a query's visits falls in the current window with the same probability
-- pi = current visits / all visits, so a query of v visits is unseen in the reference with probability pi^v.
create or replace view drift_unseen as
select visits_reference, visits_current, count(*) as n_queries
from (
    select query, coalesce(sum(n_hours) filter (side = 'reference'), 0)::bigint as visits_reference, coalesce(sum(n_hours) filter (side = 'current'), 0)::bigint as visits_current
    from state_queries inner join drift_sides using (day_no) group by query)
group by all
order by all;
