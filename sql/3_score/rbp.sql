-- rbp_at_k(judged, k, p): rank-biased precision: a reader goes on to the next rank with probability p; the share of the looks that gain, a document of
-- the query's highest gain counting 1, one of half of it 1/2.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list; p: 0 < p < 1
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no label with gain, or not labelled -> null · what was not judged counts as not relevant: rbp_residual says how much that is
-- Source: Moffat & Zobel 2008, doi 10.1145/1416950.1416952; trec_eval m_rbp.c (p = .9); ir_measures (p = .8)
create or replace macro rbp_at_k(judged, k, p) as if(judged.ideal[1] > 0, coalesce(list_sum(list_transform(
    list_filter(judged.hits, lambda h: h.gain > 0 and (k is null or h.rank <= k)),
    lambda h: h.gain / judged.ideal[1] * (1 - p) * power(p, h.rank - 1))), 0.0), null);
