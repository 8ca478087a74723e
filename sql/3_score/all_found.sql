-- all_found_at_k(judged, k): 1 if every relevant document stands in the first k ranks (recall_all).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, 0 or 1, higher is better
-- Edge: more relevant documents than k -> 0 · no relevant label, or not labelled -> null
-- Source: Wu et al., LongMemEval, arXiv 2410.10813 (recall_all)
create or replace macro all_found_at_k(judged, k) as
    if(judged.n_relevant > 0,
        (len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) = judged.n_relevant)::integer::double, null);
