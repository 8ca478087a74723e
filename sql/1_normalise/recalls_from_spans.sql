-- event_spans, event_members, event_stages, top_spans -> span_recalls: one recall per ranked list handed to a consumer.
-- In:   picked_spans, span_roles, span_tree (1_normalise/spans_roles, spans_events, spans_stages)
-- Out:  contract.events, and reject_reason (null = an event), excerpt
-- Edge: attributes['candidates']: the lists of the spans on the way, where there are two or more (1_normalise/stage_lists.sql) · the list = the event span's own, else that of the one span inside it that has one · candidate_ids = what the reranker took in,
--       else the list of the one retriever before it · several retrievers without a reranker: events of their own, flag multi_retrieval; never fused
--       · a span with several queries is an event for each, event_id with its number · no query of its own: that of the nearest span above
--       · a time outside of what flat logs take -> reject, as there
--       · no list and status error -> [] · no list else -> reject: missing is not empty · distances: score = -distance, flag scores_from_distance
--       · tokens and cost: the event span's own, else the sum over its stages' spans; attributes: the span's own before the resource's; root_input: what the trace's root span was
--       asked, where that is not the event's own query
-- long or already read: these do not become attributes of an event
create or replace macro is_payload(key) as regexp_matches(key, '^(input|output)\.(value|mime_type)$|^(retrieval|reranker)\.[a-z_]*documents|^gen_ai\.(retrieval\.(documents|query)|memory\.(records|query)|rerank\.|prompt|completion|input\.messages|output\.messages)|^mlflow\.span(In|Out)puts|^langfuse\.observation\.(in|out)put|^traceloop\.entity\.(in|out)put|^reranker\.query|^llm\.(in|out)put_messages|^cost_usd$');

-- the lists before the one handed out, where there are two or more: one alone is candidate_ids
create or replace macro other_stages(stages, ids) as list_filter(stages, lambda os: os.ids <> ids);
create or replace macro stages_attribute(stages, ids) as if(len(other_stages(stages, ids)) > 1, to_json(other_stages(stages, ids))::varchar, null);
-- two lists of entries as one map, a key of both with the second's value (a map of maps takes three times as long)
create or replace macro keys_of(entries) as list_transform(entries, lambda ko: ko.key);
create or replace macro map_of_both(own, more) as if(list_has_any(keys_of(own), keys_of(more)), map_concat(map_from_entries(own), map_from_entries(more)), map_from_entries(list_concat(own, more)));
create or replace macro event_entries(entries) as list_filter(entries, lambda ee2: not is_payload(ee2.key) and ee2.value is not null);

create or replace table span_usage as  -- what the spans of an event's stages cost; a chat span counts for the last retrieval before it
with used as (select *, row_number() over (partition by trace_id, span_id order by start_of desc, event_id) as turn
    from (select i.trace_id, i.event_id, i.span_id, i.is_own, e.start as start_of from stage_intervals as i inner join event_spans as e using (trace_id, event_id)))
select u.trace_id, u.event_id, sum(r.input_tokens) as input_tokens, sum(r.output_tokens) as output_tokens, sum(r.cost_usd) as cost_usd
from used as u inner join span_roles as r using (trace_id, span_id) where u.turn = 1 group by u.trace_id, u.event_id;

create or replace table event_lists as
with
inner_parts as (
    select distinct m.trace_id, m.event_id, p.span_id, p.name, p.operation, if(p.document_queries is null, p.documents, null) as documents, p.input_documents, p.query_text, p."end"
    from event_members as m inner join span_tree as t on t.trace_id = m.trace_id and t.top_id = m.span_id and t.span_id <> m.span_id
    inner join picked_spans as p on p.trace_id = t.trace_id and p.span_id = t.span_id
),
within as (
    select trace_id, event_id, count(*) filter (documents is not null and operation <> 'rerank') as n_lists, any_value(documents) filter (operation <> 'rerank') as found,
        arg_max(documents, "end") filter (operation = 'rerank') as reranked, arg_max(input_documents, "end") filter (input_documents is not null) as taken,
        count(*) filter (operation = 'rerank') as n_rerank, min(query_text) as query_text
    from inner_parts group by trace_id, event_id
),
before_it as (select m.event_id, p.* from event_members as m inner join picked_spans as p on p.trace_id = m.trace_id and p.span_id = m.span_id where m.span_id <> m.event_id),
before as (select trace_id, event_id, count(*) as n_before, any_value(documents) as found, any_value(operation) as operation from before_it group by trace_id, event_id),
stages as (  -- every list on the way, in the order in which they were ready
    select trace_id, event_id, list({'stage': name || if(turn > 1, ' ' || turn, ''), 'ids': list_transform(documents, lambda d: d.id), 'scores': list_transform(documents, lambda d: d.score)}
        order by "end", span_id) as stages
    from (select *, row_number() over (partition by trace_id, event_id, name order by "end", span_id) as turn from (
        select trace_id, event_id, span_id, name, documents, "end" from before_it where documents is not null and document_queries is null
        union select trace_id, event_id, span_id, name, documents, "end" from inner_parts where documents is not null))
    group by trace_id, event_id
),
every as (
    select m.trace_id, m.event_id, arg_min(p.query_text, p.start) filter (p.query_text is not null) as query_text, bool_or(p.status = 'error') as is_error, min(p.error_type) as error_type, flatten(list(p.flags)) as flags
    from event_members as m inner join picked_spans as p on p.trace_id = m.trace_id and p.span_id = m.span_id group by m.trace_id, m.event_id
),
beside as (  -- (all that is narrow first: a join copies what its wide side carries)
    select e.*, b.n_before, b.found as found_before, b.operation as operation_before, w.n_lists, w.found, w.reranked, w.taken, w.n_rerank, w.query_text as inner_query, s.stages
    from every as e left join before as b using (trace_id, event_id) left join within as w using (trace_id, event_id) left join stages as s using (trace_id, event_id)
)
select p.trace_id, e.event_id, p.name, p.status, p.told, p.resource, p.source, p.source_line, p.document_queries, e.is_error, coalesce(p.error_type, e.error_type) as any_error_type,
    coalesce(p.query_text, e.query_text, e.inner_query) as query, coalesce(e.operation_before, p.operation) as main_operation, e.flags as all_flags,
    if(is_ranking(p.documents), p.documents, first_ranking([p.documents, e.reranked, if(e.n_lists = 1, e.found, null)])) as list,
    coalesce(p.input_documents, e.taken, if(p.operation = 'rerank' and e.n_before = 1, e.found_before, null),
        if((p.operation = 'rerank' or e.n_rerank > 0) and e.n_lists = 1, e.found, null)) as candidates, e.stages
from beside as e inner join picked_spans as p on p.trace_id = e.trace_id and p.span_id = e.event_id;

create or replace table lent_queries as  -- of an event without a query: that of the nearest span above it that has one
with recursive above as (
    select l.trace_id, l.event_id, r.parent_span_id, 0 as up, null::varchar as query
    from event_lists as l inner join span_roles as r on r.trace_id = l.trace_id and r.span_id = l.event_id where l.query is null
    union all
    select a.trace_id, a.event_id, r.parent_span_id, a.up + 1, if(ltrim(r.asked)[1] = '[', null, r.asked)
    from above as a inner join span_roles as r on r.trace_id = a.trace_id and r.span_id = a.parent_span_id where a.query is null and a.up < 100
)
select trace_id, event_id, any_value(query) as query from above where query is not null group by trace_id, event_id;

-- what LangSmith's client posts when a run begins: the patch, which may stand in another file, has its end and its documents
create or replace macro is_open_run(a, total_ms) as told_at(a, 'langsmith.span.kind') is not null and total_ms is null;

create or replace table event_facts as
with
traces as (select trace_id, count(*) as n_events from event_spans group by trace_id),
roots as (  -- what the whole trace was asked: of its first span that has no parent in it
    select trace_id, arg_min(if(ltrim(asked)[1] = '[', null, asked), start) as root_input from span_roles as r
    where not exists (select 1 from span_roles as p where p.trace_id = r.trace_id and p.span_id = r.parent_span_id) group by trace_id
),
trace_times as (select trace_id, span_ms_of(min(start), max("end")) as trace_ms from span_roles group by trace_id),
by_name as (select distinct i.trace_id, i.event_id from inner_spans as i where i.by_name and i.stage_name is not null)
select e.trace_id, e.event_id, e.start as started, e.total_ms, s.stage_ms, n.trace_id is not null as named, n_events > 1 as is_one_of_many, trace_ms, o.root_input, u.input_tokens, u.output_tokens, u.cost_usd,
    q.query as lent
from event_spans as e inner join traces using (trace_id) inner join trace_times using (trace_id) left join roots as o using (trace_id) left join event_stages as s using (trace_id, event_id)
left join span_usage as u using (trace_id, event_id) left join by_name as n using (trace_id, event_id) left join lent_queries as q using (trace_id, event_id);

create or replace view span_recalls as
with
whole as (
    select l.* exclude (query), f.* exclude (trace_id, event_id, lent), coalesce(query, lent) as query,
        {'keys': list_concat(l.told.keys, list_reverse(map_keys(l.resource))), 'texts': list_concat(l.told.texts, list_reverse(map_values(l.resource)))} as a
    from event_lists as l inner join event_facts as f using (trace_id, event_id)
),
parted as (  -- one for each query of a span
    select * exclude (list, document_queries, n), n as query_no, if(n is null, list, list_filter(list, lambda d, i: document_queries[i] = n)) as list
    from (select *, unnest(coalesce(nullif(list_sort(list_distinct(document_queries)), []), [null])) as n from whole)
),
ids as (select *, list_transform(list, lambda d: d.id) as ids, list_transform(list, lambda d: d.score) as all_scores, list_transform(list, lambda d: d.distance) as distances from parted),
told as (
    select *, list_count(all_scores) > 0 as has_score, list_count(distances) > 0 as has_distance,
        event_entries(if(list_unique(a.keys) = len(a.keys), entries_of(list_reverse(a.keys), list_reverse(a.texts)), map_entries(map_concat(resource, attributes_told(told))))) as own_entries,
        list_filter([{'key': 'trace_total_ms', 'value': trace_ms::varchar}, {'key': 'root_input', 'value': if(root_input in (query, '__REDACTED__'), null, root_input)},
            {'key': 'span_name', 'value': name}, {'key': 'candidates', 'value': stages_attribute(stages, ids)}], lambda e: e.value is not null or e.key = 'span_name') as more_entries
    from ids
)
select
    trace_id || ':' || event_id || coalesce(':' || query_no, '') as event_id, time_or_null(started) as "timestamp", nullif(trace_id, event_id) as trace_id,
    if(list_contains(all_flags, 'no_span_id'), null, event_id) as span_id,
    coalesce(told_at(a, 'query.id'), told_at(a, 'query_id'), told_at(a, 'metadata.query_id'), told_at(a, 'qid'), told_at(a, 'question_id'), told_at(a, 'gen_ai.retrieval.query.id')) as query_id,
    if(query = '__REDACTED__', null, query) as query_text, coalesce(told_at(a, 'query.class'), told_at(a, 'query_class'), told_at(a, 'metadata.query_class')) as query_class,
    coalesce(coalesce(told_at(a, 'tenant.id'), told_at(a, 'tenant_id'), told_at(a, 'tenant'), told_at(a, 'metadata.tenant'), told_at(a, 'metadata.tenant_id'), told_at(a, 'traceloop.association.properties.tenant'), told_at(a, 'traceloop.association.properties.tenant_id')),
        metadata_text(told_at(a, 'metadata'), ['$.tenant', '$.tenant_id']), told_at(a, 'service.namespace')) as tenant_id,
    coalesce(told_at(a, 'session.id'), told_at(a, 'session_id'), told_at(a, 'gen_ai.conversation.id'), told_at(a, 'traceloop.association.properties.session_id')) as session_id,
    coalesce(coalesce(told_at(a, 'variant'), told_at(a, 'experiment'), told_at(a, 'metadata.variant')), metadata_text(told_at(a, 'metadata'), ['$.variant'])) as variant,
    coalesce(told_at(a, 'index_version'), told_at(a, 'index.version'), told_at(a, 'corpus_version'), told_at(a, 'service.version')) as index_version,
    main_operation as operation, coalesce(told_at(a, 'gen_ai.data_source.id'), told_at(a, 'gen_ai.memory.store.id'), told_at(a, 'gen_ai.memory.store.name'), told_at(a, 'db.collection.name'), told_at(a, 'db.namespace')) as data_source_id,
    try_cast(try_cast(coalesce(told_at(a, 'gen_ai.retrieval.top_k'), told_at(a, 'gen_ai.request.top_k'), told_at(a, 'gen_ai.memory.top_k'), told_at(a, 'reranker.top_k'), told_at(a, 'db.vector.query.top_k'), told_at(a, 'db.chroma.query.n_results'), told_at(a, 'db.pinecone.query.top_k'), told_at(a, 'retrieval.top_k'), told_at(a, 'top_k'), told_at(a, 'k')) as double) as integer) as top_k,
    coalesce(ids, []::varchar[]) as ranked_ids,
    if(has_score, finite_scores(all_scores), if(has_distance, finite_scores(list_transform(distances, lambda d: -d)), null)) as scores,
    list_transform(candidates, lambda d: d.id) as candidate_ids,
    if(list_bool_or(list_transform(list, lambda d: d.text is not null)), list_transform(list, lambda d: d.text), null) as texts,
    stage_ms, total_ms,
    try_cast(measured(coalesce(span_input_tokens(told), input_tokens)) as bigint) as input_tokens, try_cast(measured(coalesce(span_output_tokens(told), output_tokens)) as bigint) as output_tokens,
    measured(coalesce(span_cost(told), cost_usd)) as cost_usd,
    try_cast(coalesce(told_at(a, 'cache.hit'), told_at(a, 'cache_hit'), told_at(a, 'gen_ai.cache.hit')) as boolean) as cache_hit,
    if(is_error and (status = 'error' or ids is null), 'error', 'ok') as status, any_error_type as error_type,
    map_of_both(own_entries, more_entries) as attributes,
    source, source_line,
    list_distinct(list_filter(list_concat(all_flags, [
        if(named, 'stage_by_name', null), if(is_one_of_many, 'multi_retrieval', null), if(list_bool_or(list_transform(map_values(stage_ms), lambda v: v is null)) or total_ms is null, 'latency_invalid', null),
        if(not coalesce(has_score, false) and has_distance, 'scores_from_distance', null),
        if(has_broken_score(list_transform(list, lambda d: coalesce(d.score, d.distance))), 'score_invalid', null), if(query = '__REDACTED__', 'query_redacted', null)]), lambda f: f is not null)) as flags,
    case when not is_a_time(started) then 'timestamp not understood' when ids is null and is_open_run(a, total_ms) then 'other_line'
        when ids is null and not is_error then 'retrieval span without a list of documents' end as reject_reason,
    case when not is_a_time(started) then started::varchar else name end as excerpt
from told;
