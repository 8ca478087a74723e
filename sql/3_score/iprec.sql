-- iprec_at_k(judged, k, r): interpolated precision at recall r: the best precision of any rank where at least the share r of the relevant is found.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list; r: 0..1
-- Out:  double, ratio 0..1, higher is better
-- Edge: so much is never found -> 0 · no relevant label, or not labelled -> null
-- Source: trec_eval 10 m_iprec_at_recall.c
create or replace macro precisions(judged, k, r) as list_transform(
    list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k)),
    lambda h, j: if(j >= floor(r * judged.n_relevant + 0.5), j / h.rank, 0.0));
create or replace macro iprec_at_k(judged, k, r) as if(judged.n_relevant > 0, coalesce(list_max(precisions(judged, k, r)), 0.0), null);
