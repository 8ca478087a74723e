-- recall_cap_at_k(judged, k): relevant in the first k ranks / min(k, R): recall that k cannot limit.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list (then recall)
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null
-- Source: Thakur et al., BEIR, arXiv 2104.08663 (R_cap)
create or replace macro recall_cap_at_k(judged, k) as
    len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k)))
        / nullif(least(coalesce(k, judged.n_relevant), judged.n_relevant), 0);
