-- ndcg_exp_at_k(judged, k): nDCG with the gain 2^g - 1, whatever --gain says (ir_measures: nDCG(dcg='exp-log2')).
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no label with gain, or not labelled -> null · under --gain exponential it is ndcg
-- Source: Burges et al. 2005, doi 10.1145/1102351.1102363
create or replace macro steep(gain) as if(opt_gain() = 'exponential', gain, power(2, gain) - 1);
create or replace macro ndcg_exp_at_k(judged, k) as if(judged.ideal[1] > 0, at_most_1(
    coalesce(list_sum(list_transform(list_filter(judged.hits, lambda h: h.gain > 0 and (k is null or h.rank <= k)), lambda h: steep(h.gain) / log2(h.rank + 1))), 0.0)
    / dcg(list_transform(judged.ideal[1:coalesce(k, len(judged.ideal))], lambda g: steep(g)))), null);
