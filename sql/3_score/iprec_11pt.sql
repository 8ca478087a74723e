-- iprec_11pt_at_k(judged, k): mean of the interpolated precisions at recall 0, 0.1, … 1.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null
-- Source: trec_eval 10 m_11pt_avg.c
create or replace macro iprec_11pt_at_k(judged, k) as if(judged.n_relevant > 0,
    list_sum(list_transform(range(0, 11), lambda tenth: coalesce(list_max(precisions(judged, k, tenth / 10)), 0.0))) / 11, null);
