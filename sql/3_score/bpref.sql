-- bpref_at_k(judged, k): of the pairs of a relevant and a judged non-relevant document, the share in the right order; unjudged documents count nowhere.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no relevant label, or not labelled -> null · nothing judged non-relevant -> share of relevant found
--       · a grade below 0 is a judgement here (trec_eval: unjudged)
-- Source: Buckley & Voorhees 2004, doi 10.1145/1008992.1009000; trec_eval m_bpref.c
create or replace macro placed_hits(judged) as  -- each judged document found: its rank, and how many judged ones stand up to it
    list_transform(judged.hits, lambda h, i: {'rank': h.rank, 'is_relevant': h.is_relevant, 'n_judged': i});
create or replace macro relevant_hits(judged, k) as
    list_filter(placed_hits(judged), lambda h: h.is_relevant and (k is null or h.rank <= k));
create or replace macro bpref_at_k(judged, k) as
    coalesce(list_sum(list_transform(relevant_hits(judged, k), lambda h, j: 1 - coalesce(
        least(h.n_judged - j, judged.n_relevant) / nullif(least(len(judged.ideal) - judged.n_relevant, judged.n_relevant), 0), 0))), 0.0)
    / nullif(judged.n_relevant, 0);
