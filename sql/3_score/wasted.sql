-- wasted_at_k(searched, k): share of a question's searches that brought no document which the searches before had not brought.
-- In:   searched: struct of judge_searches() in 2_judge/judge.sql, of a question of --unit trace or session · k says nothing here
-- Out:  double, ratio 0..1, lower is better
-- Edge: an empty or failed search brought nothing, the first one too · not labelled, or each search is a question of its own -> null
-- Source: our own: what an agent pays for nothing; a search is judged by what it adds, as in novelty (Clarke et al. 2008, doi 10.1145/1390334.1390446)
create or replace macro wasted_at_k(searched, k) as searched.n_wasted / nullif(searched.n, 0);
