-- ndcg_at_k(judged, k): discounted gain of the first k ranks / that of the best possible ranking, cut at k too.
-- ndcg_full_at_k: the ideal is not cut (trec_eval ndcg, LlamaIndex).
-- In:   judged: struct of 2_judge/judge.sql (gain map already applied); k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no label with gain, or not labelled -> null · the ideal comes from all labels, never from what was retrieved
--       · least(1, ...) takes away the last bit where the sum of a perfect list rounds up; least() would make 1 of null and of NaN: asked first
-- Source: Järvelin & Kekäläinen 2002, doi 10.1145/582415.582418; trec_eval m_ndcg_cut.c, m_ndcg.c
create or replace macro at_most_1(ratio) as if(isfinite(ratio), least(1.0, ratio), null);
create or replace macro dcg(gains) as list_sum(list_transform(gains, lambda g, i: g / log2(i + 1)));
create or replace macro dcg_at_k(judged, k) as coalesce(list_sum(list_transform(
    list_filter(judged.hits, lambda h: h.gain > 0 and (k is null or h.rank <= k)), lambda h: h.gain / log2(h.rank + 1))), 0.0);
create or replace macro ndcg_at_k(judged, k) as
    if(judged.ideal[1] > 0, at_most_1(dcg_at_k(judged, k) / dcg(judged.ideal[1:coalesce(k, len(judged.ideal))])), null);
create or replace macro ndcg_full_at_k(judged, k) as if(judged.ideal[1] > 0, at_most_1(dcg_at_k(judged, k) / dcg(judged.ideal)), null);
