-- spans -> span_roles, picked_spans: which spans retrieve, which are stages of a retrieval.
-- In:   spans (contract.spans)
-- Out:  picked_spans: the retrieval, memory and rerank spans of every convention, with their documents
--       span_roles: every span of a trace that has a picked one, with its stage (embed, search, rerank, generate or null)
-- Key:  (trace_id, span_id)
-- Source: OpenTelemetry GenAI semantic conventions 1.44 (gen_ai.operation.name); OpenInference 0.1.42 (openinference.span.kind);
--         MLflow SpanType; Langfuse observation types; LangSmith run types; OpenLLMetry semantic conventions (db.query.result)
create or replace macro span_kind(a) as upper(trim(coalesce(a['openinference.span.kind'], a['mlflow.spanType'], a['langfuse.observation.type'], a['langsmith.span.kind'], a['deepeval.span.type'], a['span_type']), '"'));
create or replace macro operation_of(name, a, events) as case
    when a['gen_ai.operation.name'] in ('retrieval', 'search_memory', 'rerank') then a['gen_ai.operation.name']
    when span_kind(a) = 'RETRIEVER' then 'retrieval' when span_kind(a) = 'MEMORY' then 'search_memory' when span_kind(a) = 'RERANKER' then 'rerank'
    when len(list_filter(events, lambda oo1: is_result(oo1.name))) > 0 or is_search(name) and coalesce(a['db.system.name'], a['db.system']) is not null then 'retrieval' end;
create or replace macro stage_of(a, operation) as case
    when operation = 'rerank' then 'rerank' when operation is not null then 'search'
    when a['recallwatch.stage'] is not null then a['recallwatch.stage']  -- our own recorder says it
    when a['gen_ai.operation.name'] = 'embeddings' or span_kind(a) = 'EMBEDDING' then 'embed'
    when a['gen_ai.operation.name'] in ('chat', 'text_completion', 'generate_content') or span_kind(a) in ('LLM', 'CHAT_MODEL', 'GENERATION') then 'generate'
    when coalesce(a['db.system.name'], a['db.system']) is not null then 'search' end;
create or replace macro is_tool(a) as coalesce(a['gen_ai.operation.name'] in ('execute_tool', 'invoke_agent', 'create_agent') or span_kind(a) in ('TOOL', 'AGENT') or a['traceloop.span.kind'] in ('tool', 'agent'), false);
create or replace macro stage_by_name(name) as case
    when regexp_matches(lower(name), 're_?-?rank|cross.?encod') then 'rerank' when regexp_matches(lower(name), 'embed') then 'embed'
    when regexp_matches(lower(name), 'search|lookup|retriev|vector|knn') then 'search' end;

-- found first, read then: the documents' expressions are long, and on a table they meet rows that have documents
create or replace table found_spans as
select *, operation_of(name, attributes, events) as operation from spans where operation_of(name, attributes, events) is not null;

-- where a span may name its documents, in order of preference; most spans name one place, and only a list without ids is looked for in the next
create or replace macro first_text(operation, a) as if(operation = 'rerank',
    coalesce(a['reranker.output_documents'], a['gen_ai.rerank.documents'], a['gen_ai.retrieval.documents'], a['output.value'], a['mlflow.spanOutputs'], a['langfuse.observation.output']),
    coalesce(a['gen_ai.retrieval.documents'], a['gen_ai.memory.records'], a['retrieval.documents'], a['output.value'], a['mlflow.spanOutputs'], a['langfuse.observation.output'],
        a['gen_ai.completion'], a['traceloop.entity.output'], a['gen_ai.tool.call.result']));
create or replace macro documents_texts(operation, a) as list_filter(if(operation = 'rerank',
    [a['reranker.output_documents'], a['gen_ai.rerank.documents'], a['gen_ai.retrieval.documents'], a['output.value'], a['mlflow.spanOutputs'], a['langfuse.observation.output']],
    [a['gen_ai.retrieval.documents'], a['gen_ai.memory.records'], a['retrieval.documents'], a['output.value'], a['mlflow.spanOutputs'], a['langfuse.observation.output'], a['gen_ai.completion'],
        a['traceloop.entity.output'], a['gen_ai.tool.call.result']]), lambda dt1: dt1 is not null);
create or replace macro span_query(a) as query_of(coalesce(a['gen_ai.retrieval.query.text'], a['gen_ai.memory.query.text'], a['reranker.query'], a['input.value'], a['mlflow.spanInputs'],
    a['langfuse.observation.input'], a['gen_ai.prompt'], a['traceloop.entity.input'], a['gen_ai.tool.call.arguments']));

create or replace table picked_spans as
with texts as (
    select *, unpacked(first_text(operation, attributes)) as documents_text, unpacked(coalesce(attributes['reranker.input_documents'], attributes['gen_ai.rerank.input_documents'])) as input_text,
        unpacked(attributes['recallwatch.documents']) as mapped_text
    from found_spans
),
arrays as (select * replace (array_text(documents_text) as documents_text, array_text(input_text) as input_text, array_text(mapped_text) as mapped_text) from texts),
listed as (  -- (a macro that names its value several times is planned as often: so each step is a column)
    select *, coalesce(documents_of_array(mapped_text), if(operation = 'rerank', numbered_documents(attributes, 'reranker.output_documents.'), event_documents(name, attributes, events)),
        numbered_documents(attributes, 'retrieval.documents.')) as listed
    from arrays
),
first_lists as (select *, coalesce(listed, documents_of_array(documents_text)) as first_list from listed)
select * exclude (documents_text, input_text, mapped_text, listed, first_list),
    case when is_ranking(first_list) then first_list else first_ranking(list_prepend(first_list, list_transform(documents_texts(operation, attributes), lambda ps1: json_documents(ps1)))) end as documents,
    result_queries(attributes, events) as document_queries,
    coalesce(numbered_documents(attributes, 'reranker.input_documents.'), documents_of_array(input_text)) as input_documents, span_query(attributes) as query_text
from first_lists;

create or replace table span_roles as
select *, stage_of(attributes, operation) as stage from (
    select s.trace_id, s.span_id, s.parent_span_id, s.name, s.start, s."end", s.duration_ms, s.attributes, operation_of(s.name, s.attributes, s.events) as operation
    from spans as s where s.trace_id in (select trace_id from found_spans));
