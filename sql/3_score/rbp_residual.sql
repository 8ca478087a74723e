-- rbp_residual_at_k(judged, k, p): what rank-biased precision could gain at most were all that is not judged relevant: rbp .. rbp + residual are its bounds.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list; p: 0 < p < 1
-- Out:  double, ratio 0..1; small = the labels decide
-- Edge: empty ranking -> 1 · no relevant label, or not labelled -> null · ranks beyond the list, or beyond k, are not judged
--       · every document with a label is judged, also with a grade below 0 (trec_eval: unjudged)
-- Source: Moffat & Zobel 2008, doi 10.1145/1416950.1416952; trec_eval m_rbp_resid.c
create or replace macro rbp_residual_at_k(judged, k, p) as if(judged.n_relevant > 0, greatest(1 - coalesce(list_sum(list_transform(
    list_filter(judged.hits, lambda h: k is null or h.rank <= k), lambda h: (1 - p) * power(p, h.rank - 1))), 0.0), 0.0), null);
