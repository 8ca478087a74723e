-- log_names -> events_once: the queries and document ids of the tasks' events, for the error that they are not those of the labels.
-- In:   log_names(query_id, query_text, ranked_ids)
create or replace view events_once as
select * from contract.events
union all by name
select query_id, query_text, '' as event_id, ranked_ids from log_names;
