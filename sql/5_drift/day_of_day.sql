-- drift_days -> drift_day_of: which day of the windows a kept row belongs to, by its day's first moment.
-- Key:  day_at
create or replace table drift_day_of as select start_at as day_at, day_no from drift_days;
