-- events -> events_once, where no event stands there twice: a log without ids of its own, or one whose hashes are all different.
-- In:   events (contract.events) · Out: events_once, in the place of what duplicates.sql makes
create or replace view events_once as from events;
