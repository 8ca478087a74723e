-- judged_at_k(judged, k): share of the first min(k, returned) ranks that hold a document with any label for the query.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1; says how far the other metrics can be trusted, neither direction is better
-- Edge: empty ranking, or not labelled -> null (left out of the mean, counted) · no relevant label -> still a share
-- Source: ir_measures Judged@k (min(k, returned)); unlike trec_eval m_unj.c, which divides by k
create or replace macro judged_at_k(judged, k) as
    len(list_filter(judged.hits, lambda h: k is null or h.rank <= k)) / nullif(least(coalesce(k, judged.n_ranked), judged.n_ranked), 0);
