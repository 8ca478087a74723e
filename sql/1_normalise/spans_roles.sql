-- spans -> span_roles, picked_spans: which spans retrieve, which are stages of a retrieval.
-- In:   spans (contract.spans)
-- Out:  picked_spans: the retrieval, memory and rerank spans of every convention, with their documents
--       span_roles: every span of a trace that has a picked one, with its stage (embed, search, rerank, generate or null) and what else is asked of it
-- Key:  (trace_id, span_id)
-- Source: OpenTelemetry GenAI semantic conventions 1.44 (gen_ai.operation.name); OpenInference 0.1.42 (openinference.span.kind);
--         MLflow SpanType; Langfuse observation types; LangSmith run types; OpenLLMetry semantic conventions (db.query.result)
create or replace macro span_kind(told) as upper(trim(coalesce(told_at(told, 'openinference.span.kind'), told_at(told, 'mlflow.spanType'), told_at(told, 'langfuse.observation.type'),
    told_at(told, 'langsmith.span.kind'), told_at(told, 'deepeval.span.type'), told_at(told, 'span_type')), '"'));
create or replace macro operation_of(name, is_called, kind, db_system, events) as case
    when is_called in ('retrieval', 'search_memory', 'rerank') then is_called
    when kind = 'RETRIEVER' then 'retrieval' when kind = 'MEMORY' then 'search_memory' when kind = 'RERANKER' then 'rerank'
    when len(list_filter(events, lambda oo1: is_result(oo1.name))) > 0 or db_system is not null and is_search(name) then 'retrieval' end;
create or replace macro stage_of(operation, named_stage, is_called, kind, db_system) as case
    when operation = 'rerank' then 'rerank' when operation is not null then 'search'
    when named_stage is not null then named_stage  -- our own recorder says it
    when is_called = 'embeddings' or kind = 'EMBEDDING' then 'embed'
    when is_called in ('chat', 'text_completion', 'generate_content') or kind in ('LLM', 'CHAT_MODEL', 'GENERATION') then 'generate'
    when db_system is not null then 'search' end;
create or replace macro stage_by_name(name) as case
    when regexp_matches(lower(name), 're_?-?rank|cross.?encod') then 'rerank' when regexp_matches(lower(name), 'embed') then 'embed'
    when regexp_matches(lower(name), 'search|lookup|retriev|vector|knn') then 'search' end;

create or replace macro span_input_tokens(told) as try_cast(coalesce(told_at(told, 'gen_ai.usage.input_tokens'), told_at(told, 'gen_ai.usage.prompt_tokens'),
    told_at(told, 'llm.token_count.prompt'), told_at(told, 'llm.usage.prompt_tokens')) as double);
create or replace macro span_output_tokens(told) as try_cast(coalesce(told_at(told, 'gen_ai.usage.output_tokens'), told_at(told, 'gen_ai.usage.completion_tokens'),
    told_at(told, 'llm.token_count.completion'), told_at(told, 'llm.usage.completion_tokens')) as double);
create or replace macro number_under(text, path) as try_cast(if(json_valid(text), text ->> path, null) as double);
create or replace macro span_cost(told) as coalesce(try_cast(coalesce(told_at(told, 'cost_usd'), told_at(told, 'gen_ai.usage.cost'), told_at(told, 'llm.cost.total')) as double),
    number_under(told_at(told, 'mlflow.llm.cost'), '$.total_cost'));
create or replace macro usage_of(told, path) as number_under(told_at(told, 'mlflow.chat.tokenUsage'), path);
create or replace macro span_query(told) as query_of(coalesce(told_at(told, 'gen_ai.retrieval.query.text'), told_at(told, 'gen_ai.memory.query.text'), told_at(told, 'reranker.query'),
    told_at(told, 'input.value'), told_at(told, 'mlflow.spanInputs'), told_at(told, 'langfuse.observation.input'), told_at(told, 'gen_ai.prompt'), told_at(told, 'traceloop.entity.input'),
    told_at(told, 'gen_ai.tool.call.arguments')));

-- what spans say of themselves, each looked up once
create or replace view span_kinds as
select *, operation_of(name, is_called, kind, db_system, events) as operation
from (select * exclude (attributes), told_at(told, 'gen_ai.operation.name') as is_called, span_kind(told) as kind, coalesce(told_at(told, 'db.system.name'), told_at(told, 'db.system')) as db_system from spans);

-- found first, read then: the documents' expressions are long, and on a table they meet rows that have documents
create or replace table found_spans as select * exclude (is_called, kind, db_system) from span_kinds where operation is not null;

-- where a span may name its documents, in order of preference; most spans name one place, and only a list without ids is looked for in the next
create or replace macro first_text(operation, told) as if(operation = 'rerank',
    coalesce(told_at(told, 'reranker.output_documents'), told_at(told, 'gen_ai.rerank.documents'), told_at(told, 'gen_ai.retrieval.documents'), told_at(told, 'output.value'),
        told_at(told, 'mlflow.spanOutputs'), told_at(told, 'langfuse.observation.output')),
    coalesce(told_at(told, 'gen_ai.retrieval.documents'), told_at(told, 'gen_ai.memory.records'), told_at(told, 'retrieval.documents'), told_at(told, 'output.value'),
        told_at(told, 'mlflow.spanOutputs'), told_at(told, 'langfuse.observation.output'), told_at(told, 'gen_ai.completion'), told_at(told, 'traceloop.entity.output'),
        told_at(told, 'gen_ai.tool.call.result')));
create or replace macro documents_texts(operation, told) as list_filter(if(operation = 'rerank',
    [told_at(told, 'reranker.output_documents'), told_at(told, 'gen_ai.rerank.documents'), told_at(told, 'gen_ai.retrieval.documents'), told_at(told, 'output.value'),
        told_at(told, 'mlflow.spanOutputs'), told_at(told, 'langfuse.observation.output')],
    [told_at(told, 'gen_ai.retrieval.documents'), told_at(told, 'gen_ai.memory.records'), told_at(told, 'retrieval.documents'), told_at(told, 'output.value'),
        told_at(told, 'mlflow.spanOutputs'), told_at(told, 'langfuse.observation.output'), told_at(told, 'gen_ai.completion'), told_at(told, 'traceloop.entity.output'),
        told_at(told, 'gen_ai.tool.call.result')]), lambda dt1: dt1 is not null);

create or replace table picked_spans as
with texts as (
    select *, unpacked(first_text(operation, told)) as documents_text, unpacked(coalesce(told_at(told, 'reranker.input_documents'), told_at(told, 'gen_ai.rerank.input_documents'))) as input_text,
        unpacked(told_at(told, 'recallwatch.documents')) as mapped_text
    from found_spans
),
arrays as (select * replace (array_text(documents_text) as documents_text, array_text(input_text) as input_text, array_text(mapped_text) as mapped_text) from texts),
listed as (  -- (a macro that names its value several times is planned as often: so each step is a column)
    select *, coalesce(documents_of_array(mapped_text), if(operation = 'rerank', numbered_documents(told, 'reranker.output_documents.'), event_documents(name, told, events)),
        numbered_documents(told, 'retrieval.documents.')) as listed
    from arrays
),
first_lists as (select *, coalesce(listed, documents_of_array(documents_text)) as first_list from listed),
others as (select *, if(is_ranking(first_list), null, list_transform(documents_texts(operation, told), lambda ps1: json_documents(ps1))) as other_lists from first_lists)
select * exclude (documents_text, input_text, mapped_text, listed, first_list, other_lists, events),
    if(other_lists is null, first_list, first_ranking(list_prepend(first_list, other_lists))) as documents,
    result_queries(told, events) as document_queries,
    coalesce(numbered_documents(told, 'reranker.input_documents.'), documents_of_array(input_text)) as input_documents, span_query(told) as query_text
from others;

create or replace table span_roles as
select trace_id, span_id, parent_span_id, name, start, "end", duration_ms, operation, stage_of(operation, told_at(told, 'recallwatch.stage'), is_called, kind, db_system) as stage,
    coalesce(is_called in ('execute_tool', 'invoke_agent', 'create_agent') or kind in ('TOOL', 'AGENT') or told_at(told, 'traceloop.span.kind') in ('tool', 'agent'), false) as is_tool,
    told_at(told, 'recallwatch.stage') is not null as is_named_stage, told_at(told, 'recallwatch.recorded') is not null as is_recorded, span_query(told) as asked,
    coalesce(span_input_tokens(told), usage_of(told, '$.input_tokens')) as input_tokens, coalesce(span_output_tokens(told), usage_of(told, '$.output_tokens')) as output_tokens,
    span_cost(told) as cost_usd
from span_kinds where trace_id in (select trace_id from found_spans);
