-- drift_slots -> drift_day_of: which day of the windows a kept row belongs to, by its hour.
-- Key:  h
create or replace table drift_day_of as select distinct h, day_no from drift_slots;
