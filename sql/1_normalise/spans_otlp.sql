-- raw_lines -> otlp_spans: OTLP/JSON trace requests, one a line or one a file, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): resourceSpans, Tempo's `batches`, legacy instrumentationLibrarySpans,
--       snake_case keys; ids in hex or base64; integers as text or number
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: OTLP logs or metrics -> one reject a line, by name · an id nobody can read -> that span is a reject
--       · end < start -> duration null, flag latency_invalid · time 0 = not set
-- Source: opentelemetry-proto 1.9, trace/v1/trace.proto; OTLP specification, "JSON Protobuf Encoding"
create or replace macro otlp_value() as '{"stringValue":"VARCHAR","boolValue":"VARCHAR","intValue":"VARCHAR","doubleValue":"VARCHAR","bytesValue":"VARCHAR","arrayValue":"JSON","kvlistValue":"JSON"}';
create or replace macro otlp_attributes() as '[{"key":"VARCHAR","value":' || otlp_value() || '}]';
create or replace macro otlp_span() as '{"traceId":"VARCHAR","spanId":"VARCHAR","parentSpanId":"VARCHAR","name":"VARCHAR","startTimeUnixNano":"VARCHAR","endTimeUnixNano":"VARCHAR","attributes":'
    || otlp_attributes() || ',"events":[{"name":"VARCHAR","attributes":' || otlp_attributes() || '}],"status":{"code":"VARCHAR","message":"VARCHAR"}}';
create or replace macro otlp_request() as '{"resourceSpans":[{"resource":{"attributes":' || otlp_attributes()
    || '},"scopeSpans":[{"spans":[' || otlp_span() || ']}],"instrumentationLibrarySpans":"JSON"}],"resourceLogs":["BOOLEAN"],"resourceMetrics":["BOOLEAN"]}';

-- other spellings of the same keys, rewritten only in lines that have them
create or replace macro otlp_legacy(line) as if(contains(line, '"instrumentationLibrarySpans"'), replace(line, '"instrumentationLibrarySpans"', '"scopeSpans"'), line);
create or replace macro otlp_batches(line) as if(contains(line, '"batches"') and not contains(line, '"resourceSpans"'), regexp_replace(line, '"batches"\s*:', '"resourceSpans":'), line);
create or replace macro otlp_camel(line) as
    replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(line,
        '"resource_spans"', '"resourceSpans"'), '"scope_spans"', '"scopeSpans"'), '"trace_id"', '"traceId"'), '"span_id"', '"spanId"'), '"parent_span_id"', '"parentSpanId"'),
        '"start_time_unix_nano"', '"startTimeUnixNano"'), '"end_time_unix_nano"', '"endTimeUnixNano"'), '"string_value"', '"stringValue"'), '"int_value"', '"intValue"'),
        '"bool_value"', '"boolValue"'), '"double_value"', '"doubleValue"'), '"bytes_value"', '"bytesValue"'), '"array_value"', '"arrayValue"'), '"kvlist_value"', '"kvlistValue"'),
        '"instrumentation_library_spans"', '"scopeSpans"');
create or replace macro otlp_spelling(line) as otlp_batches(otlp_legacy(if(contains(line, '"resource_spans"'), otlp_camel(line), line)));
create or replace macro is_spelled(request) as request.resourceLogs is not null or request.resourceMetrics is not null or len(request.resourceSpans) > 0
    and not list_bool_or(list_transform(request.resourceSpans, lambda sp: sp.scopeSpans is null or sp.instrumentationLibrarySpans is not null));

create or replace view otlp_spans as
with lines as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, otlp_request())) end as request
    from raw_lines where not is_blank(line_text)
),
requests as (
    select file, line, line_text, problem, case when request is null or coalesce(is_spelled(request), false) then request
        else try(json_transform(otlp_spelling(line_text), otlp_request())) end as request
    from lines
),
resources as (
    select file, line, if(len(request.resourceSpans) > 0, null, line_text) as line_text, case
            when request is not null and len(request.resourceSpans) > 0 then null
            when request is not null and request.resourceLogs is not null then 'OTLP logs, not traces'
            when request is not null and request.resourceMetrics is not null then 'OTLP metrics, not traces'
            when request is not null and request.resourceSpans is not null then 'a request without spans'
            when request is not null then 'no resourceSpans'
            when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end as line_problem,
        unnest(if(coalesce(len(request.resourceSpans), 0) = 0, [null], request.resourceSpans)) as r
    from requests
),
-- (entries first, a map of them then: a macro that names its value several times is planned and set up as often; level by level: a flattened list is a copied one)
scopes as (select file, line, line_text, line_problem, any_entries(r.resource.attributes) as resource, r.scopeSpans as scopes from resources),
named as (select * exclude (scopes) replace (as_attributes(resource) as resource), unnest(if(line_problem is not null, [null], scopes)) as sc from scopes),
spans as (select file, line, line_text, line_problem, resource, unnest(if(line_problem is not null, [null], sc.spans)) as s from named),
read as (
    select file, line, line_text, line_problem, resource, s, as_ns(s.startTimeUnixNano) as start_ns, as_ns(s.endTimeUnixNano) as end_ns,
        any_told(s.attributes) as told, is_error_code(s.status.code) as is_error,
        if(len(s.events) > 0, list_transform(s.events, lambda e: {'name': e.name, 'attributes': any_map(e.attributes)}), []) as events
    from spans
)
select
    as_trace_id(s.traceId) as trace_id, as_span_id(s.spanId) as span_id, as_span_id(s.parentSpanId) as parent_span_id, s.name as name,
    moment_of_ns(start_ns) as start, moment_of_ns(end_ns) as "end", span_ms(start_ns, end_ns) as duration_ms,
    if(is_error, 'error', 'ok') as status, if(is_error, error_type_of(told_at(told, 'error.type'), events, s.status.message), told_at(told, 'error.type')) as error_type,
    told, resource, events, file as source, line as source_line,
    span_flags(start_ns, end_ns, span_ms(start_ns, end_ns)) as flags,
    case when line_problem is not null then line_problem
        when s is null then 'a span that is no object'
        when is_unreadable_id(s.traceId) or is_unreadable_id(s.spanId) then 'span id is neither hex nor base64' end as reject_reason,
    if(reject_reason is null, null, coalesce(line_text, s.traceId || ' ' || s.name)) as excerpt
from read;
