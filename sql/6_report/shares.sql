-- counts -> shares: the ratios a gate can hold a limit to. One row.
-- In:   counts (summary.sql), report_rejected(n): lines that could not be read
-- Out:  ratios 0..1; null where nothing was counted
create or replace view shares as
select r.n / nullif(c.events + r.n, 0) as rejected_share, c.error_events / nullif(c.events, 0) as error_share, c.empty_rankings / nullif(c.events, 0) as empty_share,
    c.unscorable_events / nullif(c.events, 0) as unscorable_share, c.unlabelled_events / nullif(c.events, 0) as unlabelled_share,
    c.queries_missing / nullif(c.labelled_queries, 0) as queries_missing_share, c.events_with_duplicate_ids / nullif(c.labelled_events, 0) as duplicate_ids_share,
    c.events
from counts as c cross join report_rejected as r;
