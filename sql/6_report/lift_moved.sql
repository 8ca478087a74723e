-- keyed -> lift_moved, lift_moved_counts: how far the list handed out is from its candidates, where no label says which of the two is right.
-- In:   keyed, slice_segments, segments; lift_depths(k); the macros of 5_drift/overlap.sql
-- Out:  overlap: share of the first k that candidates and final list have in common · from_below: share of the final first k that stood below k
--       among the candidates (or not at all) · same_first: share of recalls that kept the first document · rbo (p = .9); means over recalls
-- Key:  (segment, k)
-- Edge: an event without candidate_ids, with status error or with two empty lists is left out
create or replace view lift_lists as
select slice_no, list_filter(candidate_ids, lambda d: d is not null) as a, list_filter(ranked_ids, lambda d: d is not null) as b
from keyed where status <> 'error' and len(candidate_ids) + len(ranked_ids) > 0;

create or replace view lift_moved as
select g.segment, d.k, count(*) as n, exact_mean(overlap_at_k(a, b, d.k)) as overlap,
    exact_mean(len(list_filter(list_distinct(b[1:d.k]), lambda x: not list_contains(a[1:d.k], x))) / greatest(len(list_distinct(b[1:d.k])), 1)::double) as from_below,
    exact_mean(if(a[1] is not distinct from b[1], 1.0::double, 0.0::double)) as same_first, exact_mean(rbo(a, b, 0.9::double)) as rbo
from lift_lists inner join slice_segments using (slice_no) inner join segments as g using (segment_no) cross join lift_depths as d
group by g.segment_no, g.segment, d.k
order by g.segment_no, d.k;

create or replace view lift_moved_counts as
select count(*) as n_recalls, count(*) filter (candidate_ids is null) as n_without_candidates,
    count(*) filter (candidate_ids is not null and status = 'error') as n_errors, (select count(*) from lift_lists) as n_events
from keyed;
