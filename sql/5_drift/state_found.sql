-- drift_events x drift_wanted -> state_asked, state_found: which relevant documents came back, at which rank; merges by SUM and the smallest three.
-- In:   drift_events, drift_wanted(day_no): the days that are summed
-- Out:  state_asked: recalls that could return something, with the smallest three event and trace ids; key (day_no, h, label_no)
--       state_found: key (day_no, h, label_no, document_id, rank)
create or replace table state_asked as
select day_no, drift_hour(h) as h, label_no, count(*) as n, min(event_id, 3) as event_ids, min(trace_id, 3) as trace_ids
from drift_events where is_labelled and not is_error and is_scorable and day_no in (select day_no from drift_wanted)
group by all;

create or replace table state_found as
select day_no, drift_hour(h) as h, label_no, document_id, rank, count(*) as n
from (
    select day_no, h, label_no,
        unnest(list_transform(list_filter(judged.hits, lambda hit: hit.is_relevant), lambda hit: {'document_id': judged_ids[hit.rank], 'rank': hit.rank}), recursive := true)
    from drift_events where is_labelled and not is_error and is_scorable and day_no in (select day_no from drift_wanted))
group by all;
