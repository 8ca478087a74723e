-- events -> hash_counts: which events a task holds, as numbers that may meet those of other tasks.
-- In:   events (contract.events) of one task, excluded_hashes(h): those that several deliveries share, over all tasks
-- Out:  events_apart (deliveries to be resolved together), events_alone (all others: each counts as it is)
-- The number is the hash of 1_normalise/duplicates.sql, moved into the range of a signed integer.
create or replace macro event_hash(event_id) as (hash(event_id)::hugeint - 9223372036854775808)::bigint;

create or replace view hash_counts as select event_hash(event_id) as h, count(*) as n from events group by h;

create or replace view events_apart as select * from events where event_hash(event_id) in (select h from excluded_hashes);

create or replace view events_alone as select * from events where event_hash(event_id) not in (select h from excluded_hashes);
