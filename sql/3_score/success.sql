-- success_at_k(judged, k): 1 if any relevant document stands in the first k ranks (hit rate, recall_any).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, 0 or 1, higher is better
-- Edge: no relevant label, or not labelled -> null
-- Source: trec_eval m_success.c
create or replace macro success_at_k(judged, k) as
    if(judged.n_relevant > 0,
        (len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) > 0)::integer::double, null);
