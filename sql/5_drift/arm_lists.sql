-- compare_events, labelled_queries -> arm_lists: what an arm showed for each labelled query, and what the labels say of the query's documents.
-- In:   compare_events (recalls with column arm)
-- Key:  (arm, query): the list of the query's first recall (by time, then event_id)
-- Edge: failed recalls showed nothing and are left out
create or replace table arm_lists as
select l.arm, coalesce(q.tenant_id || '/', '') || coalesce(q.query_id, q.query_text) as query, q.query_text, q.query_id, q.tenant_id, q.query_class, q.is_graded, l.ids,
    q.label.documents as documents
from (
    select arm, label_no, arg_min(judged_ids, ("timestamp", event_id)) as ids
    from compare_events where is_labelled and status <> 'error' group by all) as l
inner join labelled_queries as q using (label_no)
order by all;
