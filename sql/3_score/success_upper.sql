-- success_upper_at_k(judged, k): success@k were every unjudged document in the first k ranks relevant: success .. success_upper are its bounds.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, 0 or 1; 0 only where all of the first k are judged and none is relevant
-- Edge: empty ranking -> 0 · no relevant label, or not labelled -> null · an unknown id is a document that nobody judged
-- Source: as precision_upper.sql
create or replace macro success_upper_at_k(judged, k) as if(judged.n_relevant > 0, (first_maybe_relevant(judged) <= least(coalesce(k, judged.n_ranked), judged.n_ranked))::integer::double, null);
