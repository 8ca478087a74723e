-- precision_at_k(judged, k): relevant in the first k ranks / k, also when fewer than k came back.
-- precision_returned_at_k: the same / min(k, number returned) (MLflow, LlamaIndex, CodeMem).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: empty ranking -> 0 · no relevant label, or not labelled -> null · a repeated id keeps its slot and earns nothing
-- Source: trec_eval m_P.c; k null: m_set_P.c
create or replace macro precision_at_k(judged, k) as
    if(judged.n_relevant > 0,
        coalesce(len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) / nullif(coalesce(k, judged.n_ranked), 0), 0.0), null);
create or replace macro precision_returned_at_k(judged, k) as
    if(judged.n_relevant > 0,
        coalesce(len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) / nullif(least(coalesce(k, judged.n_ranked), judged.n_ranked), 0), 0.0), null);
