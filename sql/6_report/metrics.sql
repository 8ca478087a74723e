-- quality -> metrics: what people read, in its order. Key: (window, segment, metric, k).
create or replace view metrics as
select nullif(q.window_start, '-infinity') as "window", s.segment, q.metric, q.k, q.value, q.value_by_query, q.value_without_errors,
    q.attainable, q.truncated, q.n, q.n_queries, q.ci_low, q.ci_high
from quality as q inner join segments as s using (segment_no)
order by q.window_start, q.segment_no, q.position;
