-- events -> duplicate_hashes: hashes of event ids that occur more than once; almost always none, and then no event is a duplicate.
-- In:   events (contract.events) · Out: duplicate_hashes (h)
create or replace table duplicate_hashes as
select h from (select hash(event_id) as h from events) group by h having count(*) > 1;
