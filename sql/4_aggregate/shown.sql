-- keyed -> shown_lists, shown_documents: what the lists look like, where no label says whether they are right; merge by SUM.
-- In:   keyed: events with window_start, slice_no; has_labels(): then both are empty
-- Key:  shown_lists (window_start, slice_no, length): recalls without error whose list is that long
--       shown_documents (window_start, slice_no, day, query, document_id): of the queries chosen of a UTC day, how many recalls showed the document
-- Edge: a score beyond 1e28 is not counted · an event without a query is in shown_lists only
create or replace view shown_events as
select window_start, slice_no, ranked_ids, scores, utc_day("timestamp") as day, answer_query(tenant_id, query_id, query_text) as query
from keyed where status <> 'error' and not has_labels();

create or replace table shown_lists as
select window_start, slice_no, len(ranked_ids) as length, count(*) as n, count(*) filter (has_repeats(ranked_ids)) as n_repeats,
    count(top) as n_top, sum(top) as top, count(margin) as n_margin, sum(margin) as margin
from (select *, try_cast(scores[1] as decimal(38, 9)) as top, try_cast(scores[1] - scores[2] as decimal(38, 9)) as margin from shown_events)
group by all;

create or replace table shown_documents as
with chosen as (
    select day, query from (select distinct day, query from shown_events where query is not null)
    qualify row_number() over (partition by day order by query) <= opt_shown_queries()
)
select window_start, slice_no, day, query, d.document_id as document_id, count(*) as n
from (select window_start, slice_no, day, query, unnest(answer_of(ranked_ids)) as d from shown_events inner join chosen using (day, query))
group by all;
