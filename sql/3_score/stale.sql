-- stale_at_k(dated, k): share of the first min(k, returned) ranks that hold a document which was right before and is not now.
-- In:   dated: struct of judge_dated() in 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, lower is better
-- Edge: empty ranking, or not labelled -> null (left out of the mean, counted) · a document at two ranks counts at both
--       · a label that does not change over time -> 0 · a document that is not right yet is not stale
-- Source: our own: what a superseded fact costs in slots; its denominator is that of judged_at_k
create or replace macro stale_at_k(dated, k) as
    len(list_filter(dated.stale, lambda r: k is null or r <= k)) / nullif(least(coalesce(k, dated.n_ranked), dated.n_ranked), 0);
