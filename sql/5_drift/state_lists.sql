-- drift_events x drift_wanted -> state_lists: what was shown for each labelled query last; merges by the later one.
-- In:   drift_events, drift_wanted(day_no): the days that are summed
-- Out:  newest: its newest recall without error (by time, then event_id) and that recall's list
-- Key:  (day_no, h, label_no)
create or replace table state_lists as
select day_no, drift_hour(h) as h, label_no, arg_max({'at': "timestamp", 'event_id': event_id, 'ids': judged_ids}, ("timestamp", event_id)) as newest
from drift_events where is_labelled and not is_error and day_no in (select day_no from drift_wanted)
group by all;
