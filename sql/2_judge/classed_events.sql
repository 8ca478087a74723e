-- events_once, recalls -> classed_events: the searches, each with the class of its question where it has none of its own.
-- In:   events_once, recalls (by question: questions.sql), unit_of() · Key: the event's
create or replace view classed_events as
select e.* replace (coalesce(e.query_class, r.query_class) as query_class)
from (select *, unit_of(trace_id, session_id, event_id, "timestamp") as unit from events_once) as e
left join (select tenant_id, variant, unit, query_class from recalls) as r
    on r.unit = e.unit and r.tenant_id is not distinct from e.tenant_id and r.variant is not distinct from e.variant;
