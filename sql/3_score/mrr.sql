-- mrr_at_k(judged, k): 1 / rank of the first relevant document within the first k ranks; the mean of it is MRR.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: none found -> 0 · no relevant label, or not labelled -> null
-- Source: trec_eval m_recip_rank.c
create or replace macro mrr_at_k(judged, k) as
    if(judged.n_relevant > 0,
        coalesce(1.0::double / list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))[1].rank, 0.0), null);
