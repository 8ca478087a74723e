-- labelled_queries -> is_labelled_id(): whether an event is found by its query_id, where some labels name their query by an id and others by its text alone.
-- Edge: an event without query_id is found by its text · one whose query_id no label has is found by its text among the labels without query_id
create or replace macro is_labelled_id(logged) as logged is null or logged in (select query_id from labelled_queries where query_id is not null);
