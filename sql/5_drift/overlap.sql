-- overlap_at_k(a, b, k): share of the first k ids that two rankings have in common. rbo(a, b, p): rank-biased overlap, extrapolated.
-- In:   a, b varchar[] (best first) · k integer >= 1 · p: how far down the list counts, 0..1
-- Out:  double, 0..1; 1 = the same ids (overlap), the same order (rbo)
-- Edge: both empty -> 1 · one empty -> 0 · lists of different length: rbo to the depth of the shorter one
--       · repeated ids count once (list_intersect)
-- Source: Webber, Moffat, Zobel 2010, doi 10.1145/1852102.1852106, eq. 30
create or replace macro overlap_at_k(a, b, k) as if(len(a) = 0 and len(b) = 0, 1.0,
    len(list_intersect(a[1:k], b[1:k])) / greatest(least(k, greatest(len(list_distinct(a[1:k])), len(list_distinct(b[1:k])))), 1)::double);
create or replace macro agreement(a, b, depth) as len(list_intersect(a[1:depth], b[1:depth])) / depth::double;
create or replace macro rbo(a, b, p) as case
    when len(a) = 0 and len(b) = 0 then 1.0
    when len(a) = 0 or len(b) = 0 then 0.0
    else agreement(a, b, least(len(a), len(b))) * power(p, least(len(a), len(b)))
        + (1 - p) / p * list_sum(list_transform(range(1, least(len(a), len(b)) + 1), lambda d: agreement(a, b, d) * power(p, d))) end;
