-- rprec_at_k(judged, k, mult): precision at the rank that equals the number of relevant documents, or `mult` times it (R-precision).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list; mult: > 0
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null · a shorter list is divided by the same rank
-- Source: trec_eval m_Rprec.c, m_Rprec_mult.c
create or replace macro rprec_rank(judged, mult) as floor(mult * judged.n_relevant + 0.9);
create or replace macro rprec_at_k(judged, k, mult) as
    len(list_filter(judged.hits, lambda h: h.is_relevant and h.rank <= rprec_rank(judged, mult) and (k is null or h.rank <= k)))
    / nullif(rprec_rank(judged, mult), 0);
