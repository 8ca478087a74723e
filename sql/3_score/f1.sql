-- f1_at_k(judged, k): harmonic mean of precision@k and recall@k of one event = 2 found / (k + R).
-- f1_returned_at_k: the same with precision over min(k, number returned).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: both 0 -> 0 · no relevant label, or not labelled -> null
-- Source: van Rijsbergen 1979, Information Retrieval, ch. 7; k null: trec_eval m_set_F.c
create or replace macro f1_at_k(judged, k) as
    2 * len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k)))
        / (coalesce(k, judged.n_ranked) + nullif(judged.n_relevant, 0));
create or replace macro f1_returned_at_k(judged, k) as
    2 * len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k)))
        / (least(coalesce(k, judged.n_ranked), judged.n_ranked) + nullif(judged.n_relevant, 0));
