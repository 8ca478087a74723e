-- raw_lines -> deepeval_spans: DeepEval traces, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): {uuid, baseSpans, agentSpans, llmSpans, retrieverSpans, toolSpans}
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: a retriever's output is a list of texts without ids: its recalls cannot be scored by id and are counted so
-- Source: confident-ai/deepeval, tracing/api.py: TraceApi, BaseApiSpan
create or replace macro deepeval_span() as '[{"uuid":"VARCHAR","parentUuid":"VARCHAR","name":"VARCHAR","status":"VARCHAR","type":"VARCHAR","startTime":"VARCHAR","endTime":"VARCHAR","input":"VARCHAR","output":"VARCHAR","topK":"VARCHAR","inputTokenCount":"VARCHAR","outputTokenCount":"VARCHAR","error":"VARCHAR"}]';

create or replace view deepeval_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"uuid":"VARCHAR","baseSpans":' || deepeval_span() || ',"agentSpans":' || deepeval_span() || ',"llmSpans":' || deepeval_span() || ',"retrieverSpans":' || deepeval_span() || ',"toolSpans":' || deepeval_span() || '}')) end as r
    from raw_lines where not is_blank(line_text)
),
spans as (
    select file, line, if(len(found) > 0, null, line_text) as line_text, r.uuid as trace_id, case when len(found) > 0 then null when r is not null then 'no DeepEval spans' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end as line_problem,
        unnest(if(len(found) > 0, found, [null])) as s
    from (select *, flatten([coalesce(r.baseSpans, []), coalesce(r.agentSpans, []), coalesce(r.llmSpans, []), coalesce(r.retrieverSpans, []), coalesce(r.toolSpans, [])]) as found from read)
),
named as (select *, as_moment(s.startTime) as start_at, as_moment(s.endTime) as end_at from spans)
select trace_id, s.uuid as span_id, s.parentUuid as parent_span_id, s.name as name, start_at as start, end_at as "end", span_ms_of(start_at, end_at) as duration_ms,
    if(upper(s.status) in ('ERRORED', 'ERROR'), 'error', 'ok') as status, s.error as error_type,
    map_from_entries(list_filter([{'key': 'deepeval.span.type', 'value': s."type"}, {'key': 'input.value', 'value': s."input"}, {'key': 'output.value', 'value': s."output"}, {'key': 'top_k', 'value': s.topK},
        {'key': 'gen_ai.usage.input_tokens', 'value': s.inputTokenCount}, {'key': 'gen_ai.usage.output_tokens', 'value': s.outputTokenCount}], lambda e: e.value is not null)) as attributes,
    map([]::varchar[], []::varchar[]) as resource, []::struct(name varchar, attributes map(varchar, varchar))[] as events, file as source, line as source_line,
    span_flags(start_at, end_at, span_ms_of(start_at, end_at)) as flags, line_problem as reject_reason, coalesce(line_text, s.name) as excerpt
from named;
