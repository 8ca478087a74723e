-- pairs -> similarity, differing: how alike two arms' lists are, over all shared queries and for those that differ.
-- In:   pairs(query, query_text, n, a, b): one list of each arm, n recalls of both; the macros of overlap.sql; opt_overlap_k(), opt_rbo_p()
-- Out:  similarity: one row of means over queries · differing: recalls_differing = n * (1 - overlap), the recalls whose answer depends on the arm:
--       what a label of the query decides about, so those with most of it are the first to label
-- Key:  differing (query), the first to label first
create or replace view pair_overlaps as
select *, overlap_at_k(a, b, opt_overlap_k()) as overlap, rbo(a, b, opt_rbo_p()) as rbo from pairs;

create or replace view similarity as
select opt_overlap_k() as k, count(*) as n_queries, count(*) filter (a = b) as n_same_list,
    sum(overlap::decimal(18, 12))::double / count(*) as overlap, sum(rbo::decimal(18, 12))::double / count(*) as rbo
from pair_overlaps;

create or replace view differing as
select query, query_text, n, overlap, rbo, n * (1 - overlap) as recalls_differing,
    list_filter(a[1:opt_overlap_k()], lambda d: not list_contains(b[1:opt_overlap_k()], d)) as only_a,
    list_filter(b[1:opt_overlap_k()], lambda d: not list_contains(a[1:opt_overlap_k()], d)) as only_b
from pair_overlaps where a <> b
order by recalls_differing desc, rbo, query;
