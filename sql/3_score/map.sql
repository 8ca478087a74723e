-- map_at_k(judged, k): average precision: sum over relevant ranks of precision there / R; the mean of it is MAP.
-- map_min_k_r_at_k: the same / min(k, R) (sentence-transformers, Spark).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: none found -> 0 · no relevant label, or not labelled -> null · only first occurrences count as relevant ranks
-- Source: trec_eval m_map.c, m_map_cut.c
create or replace macro sum_precision_at_k(judged, k) as coalesce(list_sum(list_transform(
    list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k)), lambda h, i: i / h.rank)), 0.0);
create or replace macro map_at_k(judged, k) as
    if(judged.n_relevant > 0, sum_precision_at_k(judged, k) / judged.n_relevant, null);
create or replace macro map_min_k_r_at_k(judged, k) as
    if(judged.n_relevant > 0, sum_precision_at_k(judged, k) / least(coalesce(k, judged.n_relevant), judged.n_relevant), null);
