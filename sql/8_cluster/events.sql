-- events -> hash_counts: which events a task holds, as numbers that may meet those of other tasks.
-- In:   events (contract.events) of one task
-- Out:  hash_counts(h, n): how many deliveries have that number
-- The number is the hash of 1_normalise/duplicate_hashes.sql, moved into the range of a signed integer.
create or replace macro event_hash(event_id) as (hash(event_id)::hugeint - 9223372036854775808)::bigint;

create or replace view hash_counts as select event_hash(event_id) as h, count(*) as n from events group by h;
