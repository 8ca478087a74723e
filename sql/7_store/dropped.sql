-- events, duplicate_hashes, duplicates_resolved -> dropped_rows: the deliveries that do not count, by where they stand.
-- In:   events with rw_part (file of the store) and rw_row (row in it, from 0), of whole UTC days
-- Key:  (rw_part, rw_row) · a day is a closed unit: the key of a duplicate is (event_id, UTC day)
create or replace table dropped_rows as
select utc_day("timestamp") as day, rw_part, rw_row
from events
where hash(event_id) in (select h from duplicate_hashes)
    and (rw_part, rw_row) not in (select (rw_part, rw_row) from duplicates_resolved);
