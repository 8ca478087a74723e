-- asked_queries -> events_once: a few queries of the tasks' events, for the error that no event matches any label.
-- In:   asked_queries(query_id, query_text)
create or replace view events_once as
select * from contract.events
union all by name
select query_id, query_text, '' as event_id, []::varchar[] as ranked_ids from asked_queries;
