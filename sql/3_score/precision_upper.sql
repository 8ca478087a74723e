-- precision_upper_at_k(judged, k): precision@k were every unjudged document in the first k ranks relevant: precision .. precision_upper are its bounds.
-- precision_returned_upper_at_k: the same of precision_returned_at_k.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1; close to precision = the labels decide
-- Edge: empty ranking -> 0 · no relevant label, or not labelled -> null · an unknown id, and a repeated one, is a document that nobody judged
-- Source: the bounds of Moffat & Zobel 2008, doi 10.1145/1416950.1416952, for precision
create or replace macro n_unjudged(judged, k) as greatest(least(coalesce(k, judged.n_ranked), judged.n_ranked) - len(list_filter(judged.hits, lambda h: k is null or h.rank <= k)), 0);
create or replace macro n_relevant_at_most(judged, k) as len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))) + n_unjudged(judged, k);
create or replace macro precision_upper_at_k(judged, k) as
    if(judged.n_relevant > 0, coalesce(n_relevant_at_most(judged, k) / nullif(coalesce(k, judged.n_ranked), 0), 0.0), null);
create or replace macro precision_returned_upper_at_k(judged, k) as
    if(judged.n_relevant > 0, coalesce(n_relevant_at_most(judged, k) / nullif(least(coalesce(k, judged.n_ranked), judged.n_ranked), 0), 0.0), null);
