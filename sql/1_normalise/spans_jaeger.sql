-- raw_lines -> jaeger_spans: Jaeger's query API and UI JSON, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): {data: [trace]} or one trace {traceID, spans, processes}
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: times and durations are microseconds · parent = the CHILD_OF reference · an error is the tag error = true or otel.status_code = ERROR
-- Source: jaegertracing/jaeger, model/json; otel_traces in the query API
create or replace macro jaeger_tags() as '[{"key":"VARCHAR","value":"VARCHAR"}]';
create or replace macro jaeger_trace() as '{"spans":[{"traceID":"VARCHAR","spanID":"VARCHAR","parentSpanID":"VARCHAR","operationName":"VARCHAR","references":[{"refType":"VARCHAR","spanID":"VARCHAR"}],"startTime":"VARCHAR","duration":"VARCHAR","tags":'
    || jaeger_tags() || ',"logs":[{"fields":' || jaeger_tags() || '}],"processID":"VARCHAR"}],"processes":"JSON"}';
create or replace macro jaeger_map(tags) as as_attributes(coalesce(tags, []));

create or replace view jaeger_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"data":[' || jaeger_trace() || '],' || jaeger_trace()[2:])) end as r
    from raw_lines where not is_blank(line_text)
),
traces as (
    select file, line, if(n > 0, null, line_text) as line_text, if(n > 0, null, case when false then null when r is not null then 'no Jaeger spans' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end) as line_problem,
        unnest(if(n > 0, found, [null])) as t
    from (select *, list_filter(list_append(coalesce(r.data, []), {'spans': r.spans, 'processes': r.processes}), lambda x: len(x.spans) > 0) as found, len(found) as n from read)
),
spans as (select file, line, line_text, line_problem, t.processes as processes, unnest(if(line_problem is null, t.spans, [null])) as s from traces),
named as (
    select *, jaeger_map(s.tags) as attributes, try_cast(s.startTime as hugeint) * 1000 as start_ns, start_ns + try_cast(s.duration as hugeint) * 1000 as end_ns,
        list_transform(coalesce(s.logs, []), lambda l: {'name': jaeger_map(l.fields)['event'], 'attributes': jaeger_map(l.fields)}) as events,
        jaeger_map(json_transform(json_extract(processes, '$."' || s.processID || '".tags'), jaeger_tags())) as tags,
        json_extract_string(processes, '$."' || s.processID || '".serviceName') as service
    from spans
)
select as_trace_id(s.traceID) as trace_id, as_span_id(s.spanID) as span_id,
    as_span_id(coalesce(list_filter(s."references", lambda x: x.refType = 'CHILD_OF')[1].spanID, s."references"[1].spanID, s.parentSpanID)) as parent_span_id,
    s.operationName as name, moment_of_ns(start_ns) as start, moment_of_ns(end_ns) as "end", span_ms(start_ns, end_ns) as duration_ms,
    if(lower(attributes['error']) = 'true' or is_error_code(attributes['otel.status_code']), 'error', 'ok') as status,
    if(lower(attributes['error']) = 'true' or is_error_code(attributes['otel.status_code']), error_type_of(attributes['error.type'], events, attributes['otel.status_description']), null) as error_type,
    attributes, if(service is null, tags, map_concat(tags, map(['service.name'], [service]))) as resource, events, file as source, line as source_line,
    span_flags(start_ns, end_ns, span_ms(start_ns, end_ns)) as flags, line_problem as reject_reason, coalesce(line_text, s.operationName) as excerpt
from named;
