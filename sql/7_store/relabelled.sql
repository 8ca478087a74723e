-- old_metrics, new_metrics -> relabelled: the same events under two label versions; the difference is what the labels did.
-- In:   metrics of 6_report under either version · Key: (metric, k), over everything
create or replace view relabelled as
select n.metric, n.k, o.value as old_value, n.value as new_value, n.value - o.value as difference,
    o.n as old_n, n.n as new_n, o.n_queries as old_n_queries, n.n_queries as new_n_queries
from new_metrics as n inner join old_metrics as o on o.metric = n.metric and o.k is not distinct from n.k
where n."window" is null and o."window" is null and cardinality(n.segment) = 0 and cardinality(o.segment) = 0;
