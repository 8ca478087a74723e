-- held_lists x drift_sides, labelled_queries, label_periods -> lists_a, lists_b: what the reference and the current window showed for each labelled query.
-- In:   held_lists (rows of state_lists.sql), drift_sides(day_no, side)
-- Out:  the columns of arm_lists.sql, for unjudged.sql: lists_a of the reference, lists_b of the current window
-- Key:  query: the number of its label; the list is that of its newest recall on that side, whatever class or variant it was of
-- Edge: labels that change over time are those of that recall's time
create or replace table window_lists as
select n.side, n.label_no::varchar as query, q.query_text, q.query_id, q.tenant_id, q.query_class, p.is_graded, n.newest.ids as ids, p.label.documents as documents
from (select side, label_no, arg_max(newest, (newest."at", newest.event_id)) as newest from held_lists inner join drift_sides using (day_no) group by all) as n
inner join labelled_queries as q using (label_no)
inner join label_periods as p on p.label_no = n.label_no and p.label_from <= n.newest."at" and p.label_until >= n.newest."at"
order by all;
create or replace view lists_a as select * exclude (side) from window_lists where side = 'reference';
create or replace view lists_b as select * exclude (side) from window_lists where side = 'current';
