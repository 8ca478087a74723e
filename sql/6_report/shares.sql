-- counts -> shares: the ratios a gate can hold a limit to, over everything read (one row) and by window (window_shares).
-- In:   counts (summary.sql), report_rejected(n): lines that could not be read; event_sums, list_sums, quality_sums
-- Out:  ratios 0..1; null where nothing was counted · Key of window_shares: window
-- Edge: a line that cannot be read has no time, and a query that was never asked has none: both stand over everything read only
create or replace view shares as
select r.n / nullif(c.events + r.n, 0) as rejected_share, c.error_events / nullif(c.events, 0) as error_share, c.empty_rankings / nullif(c.events, 0) as empty_share,
    c.unscorable_events / nullif(c.events, 0) as unscorable_share, c.unlabelled_events / nullif(c.events, 0) as unlabelled_share,
    c.queries_missing / nullif(c.labelled_queries, 0) as queries_missing_share, c.events_with_duplicate_ids / nullif(c.labelled_events, 0) as duplicate_ids_share,
    c.events
from counts as c cross join report_rejected as r;

create or replace view window_shares as
with
asked as (select window_start, sum(n_events)::bigint as events, sum(n_errors)::bigint as error_events from event_sums group by window_start),
lists as (select window_start, sum(n_empty)::bigint as empty_rankings, sum(n_unscorable)::bigint as unscorable_events from list_sums group by window_start),
labelled as (select window_start, sum(n_events)::bigint as labelled_events, sum(n_repeats)::bigint as events_with_duplicate_ids from quality_sums group by window_start)
select window_start as "window", a.events, a.error_events, coalesce(l.empty_rankings, 0) as empty_rankings, coalesce(l.unscorable_events, 0) as unscorable_events,
    coalesce(q.labelled_events, 0) as labelled_events, a.events - coalesce(q.labelled_events, 0) as unlabelled_events,
    coalesce(q.events_with_duplicate_ids, 0) as events_with_duplicate_ids,
    a.error_events / nullif(a.events, 0) as error_share, coalesce(l.empty_rankings, 0) / nullif(a.events, 0) as empty_share,
    coalesce(l.unscorable_events, 0) / nullif(a.events, 0) as unscorable_share, (a.events - coalesce(q.labelled_events, 0)) / nullif(a.events, 0) as unlabelled_share,
    q.events_with_duplicate_ids / nullif(q.labelled_events, 0) as duplicate_ids_share
from asked as a left join lists as l using (window_start) left join labelled as q using (window_start)
where window_start is not null
order by window_start;
