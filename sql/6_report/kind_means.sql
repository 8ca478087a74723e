-- quality_sums, labelled_queries -> kind_means: each query's means under the labels of one kind. Run once a kind, over the same recalls.
-- In:   opt_kind(): the kind whose labels were joined
-- Key:  (kind, position, tenant_id, query_key) · Out: n recalls, mean
create table if not exists kind_means (kind varchar, "position" bigint, tenant_id varchar, query_key varchar, query_class varchar, n bigint, mean double);
insert into kind_means
select opt_kind(), s.position, q.tenant_id, q.query_key, any_value(q.query_class), sum(s.m.n)::bigint as n, mean_of(sum(s.m.sum), n)
from (select label_no, unnest(sums) as m, generate_subscripts(sums, 1) as position from quality_sums) as s inner join labelled_queries as q using (label_no)
group by all having sum(s.m.n) > 0;
