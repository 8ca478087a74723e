-- recall_at_k(judged, k): share of the query's relevant documents that stand in the first k ranks.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null · document twice -> counts once
-- Source: trec_eval m_recall.c; k null: m_set_recall.c
create or replace macro recall_at_k(judged, k) as
    len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) / nullif(judged.n_relevant, 0);
