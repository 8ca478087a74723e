-- Who moved: the documents of the named queries in both windows, and events to open.
-- In:   held_asked, held_found (rows of state_found.sql), drift_sides(day_no, side), drift_moved(label_no)
-- Out:  drift_found: (label_no, document_id, side) share of the recalls that returned a relevant document, its median rank (nearest rank)
--       drift_examples: (label_no, side) the smallest three event and trace ids
create or replace view drift_found as
with asked as (
    select side, label_no, sum(n) as n_events from held_asked inner join drift_sides using (day_no)
    where label_no in (select label_no from drift_moved) group by all
),
ranks as (
    select side, label_no, document_id, rank, sum(n) as n from held_found inner join drift_sides using (day_no)
    where label_no in (select label_no from drift_moved) group by all
),
places as (
    select *, sum(n) over (partition by side, label_no, document_id order by rank) as upto, sum(n) over (partition by side, label_no, document_id) as total
    from ranks
)
select p.label_no, p.document_id, p.side, any_value(p.total) / any_value(a.n_events) as found_share, min(p.rank) filter (2 * p.upto >= p.total) as rank
from places as p inner join asked as a using (side, label_no)
group by p.label_no, p.document_id, p.side
order by p.label_no, p.document_id, p.side;

create or replace view drift_examples as
with asked as (
    select a.*, s.side from held_asked as a inner join drift_sides as s using (day_no) where a.label_no in (select label_no from drift_moved)
)
select k.label_no, k.side, e.event_ids, t.trace_ids
from (select distinct label_no, side from asked) as k
left join (select label_no, side, min(id, 3) as event_ids from (select label_no, side, unnest(event_ids) as id from asked) group by all) as e using (label_no, side)
left join (select label_no, side, min(id, 3) as trace_ids from (select label_no, side, unnest(trace_ids) as id from asked) group by all) as t using (label_no, side)
order by k.label_no, k.side;
