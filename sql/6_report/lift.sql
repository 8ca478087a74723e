-- lift_events, lift_sums -> lift, lost_documents: what the reranker makes of its candidates, and where relevant documents are lost.
-- In:   quality (4_aggregate/quality.sql) over lift_sums: quality_sums of four sides, each under the time lift_sides gives it:
--       candidates (the list before reranking, in its order), ceiling (the best order of those candidates), final (what was
--       handed out), and gain = (1 + final - candidates) / 2 an event, so that the interval of a mean in 0..1 is that of a difference
-- Out:  lift (segment, metric, k, candidates, final, lift, ci_low, ci_high, ceiling, n, n_queries); lift = final - candidates, -1..1
--       lost_documents: how often each relevant document came and where it was lost; lift_counts: what was left out, and why
-- Key:  (segment, metric, k) · (query, document_id)
-- Edge: an event without candidate_ids, or with status error, is left out and counted · fewer than 5 effective queries -> no interval
--       · a document handed out that is no candidate came from elsewhere: its event is counted in n_outside
--       · no event was changed -> no interval: nothing varied that it could be made of
-- Source: the interval is that of every mean (4_aggregate/quality.sql), under the map x -> 2x - 1
create or replace view lift as
with
sides as (select s.side, q.* from quality as q inner join lift_sides as s on s.side_at = q.window_start),
unchanged as (
    select l.segment_no, l.position, bool_and(mean_of(l.total, l.n) = 0.5) as is_unchanged
    from quality_long as l inner join lift_sides as s on s.side_at = l.window_start and s.side = 'gain' where l.n > 0 group by all
)
select g.segment, f.metric, f.k, c.value as candidates, f.value as final, f.value - c.value as lift,
    if(u.is_unchanged, null, 2 * d.ci_low - 1) as ci_low, if(u.is_unchanged, null, 2 * d.ci_high - 1) as ci_high, b.value as ceiling, f.n, f.n_queries
from sides as f
inner join sides as c on c.side = 'candidates' and c.segment_no = f.segment_no and c.position = f.position
inner join sides as b on b.side = 'ceiling' and b.segment_no = f.segment_no and b.position = f.position
inner join sides as d on d.side = 'gain' and d.segment_no = f.segment_no and d.position = f.position
inner join unchanged as u on u.segment_no = f.segment_no and u.position = f.position
inner join segments as g on g.segment_no = f.segment_no
where f.side = 'final'
order by f.segment_no, f.position;

create or replace view lost_documents as
with places as (
    select label_no, d.document_id, list_position(candidate_ids, d.document_id) as candidate_rank, list_position(judged_ids, d.document_id) as final_rank
    from (select label_no, candidate_ids, judged_ids, unnest(label.documents) as d from lift_events)
    where d.is_relevant
),
counted as (
    select label_no, document_id, count(*)::bigint as n,
        count(*) filter (final_rank is null and candidate_rank is null) as n_not_retrieved,
        count(*) filter (final_rank is null and candidate_rank is not null) as n_reranked_out,
        count(final_rank) as n_returned, min(candidate_rank)::integer as best_candidate_rank, min(final_rank)::integer as best_rank
    from places group by all
)
select q.tenant_id, q.query_id, q.query_text, q.query_class, c.* exclude (label_no)
from counted as c inner join labelled_queries as q using (label_no)
where n_returned < n
order by n_reranked_out desc, n_not_retrieved desc, c.label_no, document_id;

create or replace view lift_counts as
select (select count(*) from keyed_recalls where is_labelled) as n_labelled,
    (select count(*) from keyed_recalls where is_labelled and candidate_ids is null) as n_without_candidates,
    (select count(*) from keyed_recalls where is_labelled and candidate_ids is not null and status = 'error') as n_errors,
    (select count(*) from lift_events) as n_events,
    (select count(*) from lift_events where not list_has_all(candidate_ids, list_filter(judged_ids, lambda d: d is not null))) as n_outside;
