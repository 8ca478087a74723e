-- compare_events, labelled_queries, label_periods -> arm_lists: what an arm showed for each labelled query, and what the labels then said of its documents.
-- In:   compare_events (recalls with column arm)
-- Key:  (arm, query): the list of the query's first recall (by time, then event_id)
-- Edge: failed recalls showed nothing and are left out
create or replace table arm_lists as
select l.arm, coalesce(q.tenant_id || '/', '') || coalesce(q.query_id, q.query_text) as query, q.query_text, q.query_id, q.tenant_id, q.query_class, p.is_graded, l.first.ids as ids,
    p.label.documents as documents
from (
    select arm, label_no, arg_min({'ids': judged_ids, 'label_from': label_from}, ("timestamp", event_id)) as first
    from compare_events where is_labelled and status <> 'error' group by all) as l
inner join labelled_queries as q using (label_no)
inner join label_periods as p on p.label_no = l.label_no and p.label_from = l.first.label_from
order by all;
