-- drift_events x drift_wanted -> funnel_recalls: what 4_aggregate/funnel.sql sums, by day and hour.
create or replace view funnel_recalls as
select day_no, drift_hour(h) as h, '' as side, label_no, label_from, judged_ids, is_scorable, status, attributes, candidate_ids
from drift_events where is_labelled and day_no in (select day_no from drift_wanted);
