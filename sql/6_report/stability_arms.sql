-- variant_recalls -> compare_events: each segment (a variant's repeat) as an arm of 5_drift/arms.sql.
create or replace view compare_events as select *, segment_no as arm from variant_recalls;
