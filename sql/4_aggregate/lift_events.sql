-- keyed_recalls x label_periods -> lift_events: each labelled event that logs its candidates, judged three times.
-- In:   keyed_recalls, label_periods · Key: the event's
-- Out:  judged (the final list), judged_candidates (the list before reranking, in its order), judged_ceiling (its best order)
-- Edge: status error is left out: nothing was handed out, and that is not the reranker's doing
-- best_of(judged): the hits a list holds in their best order; relevance and gain in hits of their own, as in ideal_judged()
create or replace macro best_of(judged) as {
    'hits': list_concat(
        list_transform(list_filter(judged.hits, lambda h: h.is_relevant), lambda h, i: {'rank': i::integer, 'gain': 0.0::double, 'is_relevant': true}),
        list_transform(list_reverse_sort(list_transform(judged.hits, lambda h: h.gain)), lambda gain, i: {'rank': i::integer, 'gain': gain, 'is_relevant': false})),
    'ideal': judged.ideal,
    'n_relevant': judged.n_relevant,
    'n_ranked': judged.n_ranked };

create or replace table lift_events as
select *, best_of(judged_candidates) as judged_ceiling
from (
    select r.slice_no, r.label_no, r.is_graded, r.is_scorable, r.top_k, r.candidate_ids, r.judged_ids, r.judged, q.label, r.label_from,
        least(coalesce(r.top_k, len(r.ranked_ids)), opt_depth()) as depth,
        judge(if(opt_duplicates() = 'collapse', collapse_repeats(r.candidate_ids), r.candidate_ids), q.label) as judged_candidates
    from keyed_recalls as r inner join label_periods as q using (label_no, label_from)
    where r.candidate_ids is not null and r.status is distinct from 'error'
);

create or replace table lift_sides as
select side, make_timestamptz(number * 1000000) as side_at from (values ('candidates', 1), ('ceiling', 2), ('final', 3), ('gain', 4)) as t(side, number);
