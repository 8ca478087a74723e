-- Who moved: the documents of the named queries in both windows, and events to open.
-- In:   drift_events, drift_sides(day_no, side), drift_moved(label_no)
-- Out:  drift_found: (label_no, document_id, side) how often a relevant document came back, its median rank
--       drift_examples: (label_no, side) the smallest three event and trace ids
create or replace table drift_moved_events as
select s.side, e.label_no, e.judged, e.judged_ids, e.event_id, e.trace_id
from drift_events as e inner join drift_sides as s using (day_no)
where e.label_no in (select label_no from drift_moved) and not e.is_error and e.is_scorable;

create or replace view drift_found as
with asked as (select side, label_no, count(*) as n_events from drift_moved_events group by all),
hits as (
    select side, label_no, unnest(list_transform(list_filter(judged.hits, lambda h: h.is_relevant), lambda h: {'document_id': judged_ids[h.rank], 'rank': h.rank}), recursive := true)
    from drift_moved_events
)
select h.label_no, h.document_id, h.side, count(*) / any_value(a.n_events) as found_share, quantile_disc(h.rank, .5) as rank
from hits as h inner join asked as a using (side, label_no)
group by h.label_no, h.document_id, h.side
order by h.label_no, h.document_id, h.side;

create or replace view drift_examples as
select label_no, side, min(event_id, 3) as event_ids, min(trace_id, 3) as trace_ids
from drift_moved_events group by label_no, side order by label_no, side;
