-- keyed, keyed_recalls -> variant_events, variant_recalls: each event with the number of its variant (or of its variant and repeat).
-- In:   keyed, keyed_recalls (window_start, slice_no), slice_segments of one grouping: what pareto and stability are grouped by
-- Key:  the event's
create or replace view variant_events as
select e.*, g.segment_no from keyed as e inner join slice_segments as g using (slice_no) where g.segment_no > 0;

create or replace view variant_recalls as
select e.*, g.segment_no from keyed_recalls as e inner join slice_segments as g using (slice_no) where g.segment_no > 0;
