-- quality_sums, labelled_queries, slice_segments -> arm_means: each query's means of two variants under the labels of one kind; then kind_means of their difference.
-- In:   opt_kind(): the kind whose labels were joined; opt_arm_a(), opt_arm_b(): values of `variant`, by which the recalls are sliced
-- Key:  arm_means (kind, position, tenant_id, query_key, arm) · Out: kind_means as of kind_means.sql, mean = that of b less that of a, n = recalls of both
-- Edge: a query that only one of the two was asked is in neither mean
create table if not exists arm_means (kind varchar, "position" bigint, tenant_id varchar, query_key varchar, query_class varchar, arm varchar, n bigint, mean double);
insert into arm_means
select opt_kind(), s.position, q.tenant_id, q.query_key, any_value(q.query_class), s.arm, sum(s.m.n)::bigint as n, mean_of(sum(s.m.sum), n)
from (
    select label_no, g.segment['variant'] as arm, unnest(sums) as m, generate_subscripts(sums, 1) as position
    from quality_sums inner join slice_segments using (slice_no) inner join segments as g using (segment_no)
    where g.segment['variant'] in (opt_arm_a(), opt_arm_b())
) as s inner join labelled_queries as q using (label_no)
group by all having sum(s.m.n) > 0;

create or replace table kind_means as
select a.kind, a."position", a.tenant_id, a.query_key, a.query_class, a.n + b.n as n, b.mean - a.mean as mean
from (from arm_means where arm = opt_arm_a()) as a inner join (from arm_means where arm = opt_arm_b()) as b
    on b.kind = a.kind and b."position" = a."position" and b.query_key = a.query_key and b.tenant_id is not distinct from a.tenant_id;
