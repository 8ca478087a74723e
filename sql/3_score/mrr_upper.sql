-- mrr_upper_at_k(judged, k): 1 / rank of the first document within the first k ranks that is relevant or unjudged: mrr .. mrr_upper are its bounds.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1; close to mrr = the labels decide
-- Edge: empty ranking -> 0 · no relevant label, or not labelled -> null · an unknown id is a document that nobody judged
-- Source: as precision_upper.sql
create or replace macro first_maybe_relevant(judged) as coalesce(list_position(list_transform(judged.hits, lambda h, i: h.is_relevant or h.rank <> i), true), len(judged.hits) + 1);
create or replace macro mrr_upper_at_k(judged, k) as if(judged.n_relevant > 0,
    if(first_maybe_relevant(judged) <= least(coalesce(k, judged.n_ranked), judged.n_ranked), 1.0::double / first_maybe_relevant(judged), 0.0), null);
