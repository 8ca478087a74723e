-- repeated_at_k(searched, k): share of a question's searches that asked what one before had asked.
-- In:   searched: struct of judge_searches() in 2_judge/judge.sql, of a question of --unit trace or session · k says nothing here
-- Out:  double, ratio 0..1, lower is better
-- Edge: queries are equal as texts are joined (NFC, white space collapsed), those without a text by query_id; without both they repeat nothing
--       · not labelled, or each search is a question of its own -> null
-- Source: our own: an agent that asks the same again learned nothing
create or replace macro repeated_at_k(searched, k) as searched.n_repeated / nullif(searched.n, 0);
