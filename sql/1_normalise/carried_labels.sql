-- carried_labels -> raw_labels, dropped_references: labels a log carries, after the id rules of its profile.
-- In:   carried_labels: the columns of raw_labels (labels.sql), and dropped varchar[]: references that no rule could read
-- Out:  raw_labels; dropped_references (query_id, reference, source, source_line)
-- Edge: every reference of a query dropped -> no label: an empty list would say that nothing is right
create or replace table dropped_references as
select query_id, unnest(dropped) as reference, file as source, line as source_line from carried_labels;

create or replace table raw_labels as
select * exclude (dropped) from carried_labels where coalesce(len(dropped), 0) = 0 or relevant::varchar not in ('[]', '{}');
