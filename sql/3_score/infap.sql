-- infap_at_k(judged, k): average precision inferred where only a sample of the documents is judged (infAP).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null · all ranks judged -> AP, to 0.00001
--       · every document with a label is judged, also with a grade below 0 (trec_eval: in the pool, not judged)
-- Source: Yilmaz & Aslam 2006, doi 10.1145/1183614.1183633; trec_eval m_infap.c (epsilon 0.00001)
create or replace macro infap_at_k(judged, k) as
    coalesce(list_sum(list_transform(relevant_hits(judged, k), lambda h, j: if(h.rank = 1, 1.0,
        1.0 / h.rank + (h.n_judged - 1) / h.rank * (j - 1 + 0.00001) / (h.n_judged - 1 + 0.00002)))), 0.0)
    / nullif(judged.n_relevant, 0);
