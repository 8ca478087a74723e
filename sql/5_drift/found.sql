-- Who moved: the documents of the named queries in both windows, and events to open.
-- In:   held_asked, held_found (rows of state_found.sql), drift_days, drift_sides(day_no, side), drift_moved(label_no), label_periods, labelled_queries
-- Out:  drift_found: (label_no, document_id, side) share of the recalls that returned a relevant document, its median rank (nearest rank)
--       drift_examples: (label_no, side) the smallest three event and trace ids
-- Edge: a document that is right in one of the windows only, by labels that change over time, is left out: it was neither lost nor gained
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
),
right_on as (
    select distinct label_no, side, d.document_id as document_id
    from (select p.label_no, s.side, unnest(p.label.documents) as d from label_periods as p inner join (select * from drift_days inner join drift_sides using (day_no)) as s
        on p.is_dated and p.label_from < s.end_at and p.label_until >= s.start_at)
    where d.is_relevant
),
right_on_both as (select label_no, document_id from right_on group by all having count(*) = 2)
select p.label_no, p.document_id, p.side, any_value(p.total) / any_value(a.n_events) as found_share, min(p.rank) filter (2 * p.upto >= p.total) as rank
from places as p inner join asked as a using (side, label_no) inner join labelled_queries as q using (label_no)
where not q.is_dated or (p.label_no, p.document_id) in (select (label_no, document_id) from right_on_both)
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
