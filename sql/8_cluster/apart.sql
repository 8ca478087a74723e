-- events -> events_apart, events_alone: deliveries that may be the same event, and those that count as they are.
-- In:   events (contract.events) of one task, event_hash() of events.sql, opt_buckets(); shared_hashes(h): those that several deliveries share, over all tasks
-- Out:  events_apart (bucket: where all deliveries of an event meet; to be resolved together, by 1_normalise/duplicates.sql), events_alone (all others)
create or replace view events_apart as select abs(event_hash(event_id) % opt_buckets()) as bucket, * from events where event_hash(event_id) in (select h from shared_hashes);

create or replace view events_alone as select * from events where event_hash(event_id) not in (select h from shared_hashes);
