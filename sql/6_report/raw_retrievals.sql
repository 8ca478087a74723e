-- recalls, labels -> raw_retrievals, not_asked: one JSON text a recall with its query's labels, enough to score again without anything else.
-- In:   recalls, labelled_queries, label_rows (2_judge/labels.sql); raw_expected_of(label_no, label_from, expected_texts json), keeps_texts(): raw_texts.sql
-- Out:  raw_retrievals(line): query_id and tenant_id (the label's: what joined stays joined), query_text, query_class (the label's first), session_id, ranked_ids, scores,
--       relevant (list of ids; or id -> grade; [] = nothing is right), grades where a source tells them apart, times; keys without a value left out
--       · not_asked(line): labelled queries without a recall, the same keys without a ranking · raw_counts: recalls, and those without a label
-- Order: as logged (source, line), then event_id
-- Edge: a recall whose query has no label is not in there: it is in no mean
create or replace view raw_labels_of as
with held as (  -- a tenant's own row stands before the one that holds for all
    select q.label_no, r.label_from, r.document_id, arg_max(r.grade, r.tenant_id is not null) as grade, arg_max(r.is_relevant, r.tenant_id is not null) as is_relevant,
        bool_or(r.is_graded) as is_graded
    from labelled_queries as q inner join label_rows as r
        on r.query_key = query_key(q.query_id, q.query_text) and (r.tenant_id is null or r.tenant_id is not distinct from q.tenant_id)
    where r.document_id is not null
    group by all
)
select label_no, label_from, bool_or(is_relevant is not null) as is_apart, bool_or(is_graded and grade <> 1) as is_graded,
    list(document_id order by document_id) filter (coalesce(is_relevant, true)) as ids,
    map_from_entries(list({'key': document_id, 'value': grade} order by document_id)) as grades
from held group by label_no, label_from;

create or replace macro relevant_json(l) as
    case when l.grades is null then '[]'::json when l.is_apart or not l.is_graded then to_json(coalesce(l.ids, [])) else to_json(l.grades) end;

create or replace view raw_retrievals as
select json_merge_patch('{}', to_json({  -- a merge patch drops keys without a value
        'query_id': q.query_id, 'query_text': coalesce(q.query_text, e.query_text), 'query_class': coalesce(q.query_class, e.query_class),
        'tenant_id': q.tenant_id, 'session_id': e.session_id, 'timestamp': strftime(e."timestamp" at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'),
        'top_k': e.top_k, 'status': e.status, 'ranked_ids': e.ranked_ids, 'scores': e.scores, 'texts': if(keeps_texts(), e.texts, null), 'relevant': relevant_json(l),
        'grades': if(l.is_apart, to_json(l.grades), null), 'expected_texts': x.expected_texts, 'total_ms': e.total_ms, 'stage_ms': if(cardinality(e.stage_ms) > 0, to_json(e.stage_ms), null)}))::varchar as line
from recalls as e inner join labelled_queries as q using (label_no)
left join raw_labels_of as l using (label_no, label_from) left join raw_expected_of as x using (label_no, label_from)
order by e.source, e.source_line, e.event_id;

create or replace view not_asked as
select json_merge_patch('{}', to_json({
        'query_id': q.query_id, 'query_text': q.query_text, 'query_class': q.query_class, 'tenant_id': q.tenant_id,
        'relevant': relevant_json(l), 'grades': if(l.is_apart, to_json(l.grades), null), 'expected_texts': x.expected_texts}))::varchar as line
from (select *, '-infinity'::timestamptz as label_from from labelled_queries) as q
left join raw_labels_of as l using (label_no, label_from) left join raw_expected_of as x using (label_no, label_from)
where q.label_no not in (select label_no from recalls where label_no is not null)
order by q.label_no;

create or replace view raw_counts as
select count(*) as events, count(*) filter (label_no is null) as unlabelled_events from recalls;
