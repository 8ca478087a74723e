-- funnel_sums -> state_funnel: the loss of each stage by day (and hour) and stage; merges by SUM, of position MIN.
-- Key:  (day_no, h, stage)
create or replace table state_funnel as select * exclude (side) from funnel_sums;
