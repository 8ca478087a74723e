-- quality of one variant -> k_curve: recall and precision by k, with the k whose F is highest.
-- In:   quality, metric_columns with recall and precision at the same depths; k_curve_of(segment_no, beta): one row
-- Out:  recall, precision: means, ratio 0..1, with their 95 % intervals · f: (1 + beta^2) P R / (beta^2 P + R) of the two means
--       is_suggested: the k with the highest f; of equal ones the smallest
-- Key:  k
-- Edge: k beyond the logged lists (truncated) is shown and never suggested · nothing found at any k -> no suggestion
-- Source: van Rijsbergen 1979, Information Retrieval, chapter 7 (F; beta = how many times recall counts precision)
create or replace view k_curve as
with
pairs as (
    select r.k, r.value as recall, r.ci_low as recall_low, r.ci_high as recall_high, p.value as precision, p.ci_low as precision_low, p.ci_high as precision_high,
        coalesce((1 + beta * beta) * p.value * r.value / nullif(beta * beta * p.value + r.value, 0), 0) as f, r.truncated, r.n, r.n_queries
    from k_curve_of as o
    inner join quality as r on r.segment_no = o.segment_no and r.metric = 'recall' and r.k is not null
    inner join quality as p on p.segment_no = o.segment_no and p.metric = 'precision' and p.k = r.k
),
best as (select arg_min(k, (-f, k)) as k from pairs where not truncated and f > 0)
select p.*, p.k is not distinct from b.k as is_suggested
from pairs as p cross join best as b
order by p.k;
