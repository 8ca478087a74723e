-- spans -> span_roles, picked_spans: which spans retrieve, which are stages of a retrieval.
-- In:   spans (contract.spans)
-- Out:  picked_spans: the retrieval, memory and rerank spans of every convention, with their documents
--       span_roles: every span of a trace that has a picked one, with its stage (embed, search, rerank, generate or null)
-- Key:  (trace_id, span_id)
-- Source: OpenTelemetry GenAI semantic conventions 1.44 (gen_ai.operation.name); OpenInference 0.1.42 (openinference.span.kind);
--         MLflow SpanType; Langfuse observation types; LangSmith run types; OpenLLMetry semantic conventions (db.query.result)
create or replace macro kind_of(a) as upper(trim(coalesce(a['openinference.span.kind'], a['mlflow.spanType'], a['langfuse.observation.type'], a['langsmith.span.kind'], a['deepeval.span.type'], a['span_type']), '"'));
create or replace macro operation_of(a, events) as case
    when a['gen_ai.operation.name'] in ('retrieval', 'search_memory', 'rerank') then a['gen_ai.operation.name']
    when kind_of(a) = 'RETRIEVER' then 'retrieval' when kind_of(a) = 'MEMORY' then 'search_memory' when kind_of(a) = 'RERANKER' then 'rerank'
    when len(list_filter(events, lambda oo1: is_result(oo1.name))) > 0 then 'retrieval' end;
create or replace macro stage_of(a, operation) as case
    when operation = 'rerank' then 'rerank' when operation is not null then 'search'
    when a['recallwatch.stage'] is not null then a['recallwatch.stage']  -- our own recorder says it
    when a['gen_ai.operation.name'] = 'embeddings' or kind_of(a) = 'EMBEDDING' then 'embed'
    when a['gen_ai.operation.name'] in ('chat', 'text_completion', 'generate_content') or kind_of(a) in ('LLM', 'CHAT_MODEL', 'GENERATION') then 'generate'
    when coalesce(a['db.system.name'], a['db.system']) is not null then 'search' end;
create or replace macro stage_by_name(name) as case
    when regexp_matches(lower(name), 're_?-?rank|cross.?encod') then 'rerank' when regexp_matches(lower(name), 'embed') then 'embed'
    when regexp_matches(lower(name), 'search|lookup|retriev|vector|knn') then 'search' end;

-- found first, read then: the documents' expressions are long, and on a table they meet rows that have documents
create or replace table found_spans as
select *, operation_of(attributes, events) as operation from spans where operation_of(attributes, events) is not null;

create or replace table picked_spans as
with texts as (
    select *,
        if(operation = 'rerank',
            coalesce(attributes['reranker.output_documents'], attributes['gen_ai.rerank.documents'], attributes['gen_ai.retrieval.documents'], attributes['output.value'], attributes['mlflow.spanOutputs'],
                attributes['langfuse.observation.output']),
            coalesce(attributes['gen_ai.retrieval.documents'], attributes['gen_ai.memory.records'], attributes['retrieval.documents'], attributes['output.value'], attributes['mlflow.spanOutputs'],
                attributes['langfuse.observation.output'], attributes['gen_ai.completion'], attributes['traceloop.entity.output'])) as documents_text,
        coalesce(attributes['reranker.input_documents'], attributes['gen_ai.rerank.input_documents']) as input_text
    from found_spans
)
select * exclude (documents_text, input_text),
    coalesce(if(operation = 'rerank', numbered_documents(attributes, 'reranker.output_documents.'), event_documents(events)), numbered_documents(attributes, 'retrieval.documents.'),
        json_documents(documents_text)) as documents,
    coalesce(numbered_documents(attributes, 'reranker.input_documents.'), json_documents(input_text)) as input_documents,
    query_of(coalesce(attributes['gen_ai.retrieval.query.text'], attributes['gen_ai.memory.query.text'], attributes['reranker.query'], attributes['input.value'], attributes['mlflow.spanInputs'],
        attributes['langfuse.observation.input'], attributes['gen_ai.prompt'], attributes['traceloop.entity.input'])) as query_text
from texts;

create or replace table span_roles as
select s.trace_id, s.span_id, s.parent_span_id, s.name, s.start, s."end", s.duration_ms, s.attributes, operation_of(s.attributes, s.events) as operation,
    stage_of(s.attributes, operation_of(s.attributes, s.events)) as stage
from spans as s
where s.trace_id in (select trace_id from found_spans);
