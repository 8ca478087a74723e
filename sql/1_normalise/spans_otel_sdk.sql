-- raw_lines -> otel_sdk_spans: spans as an OpenTelemetry SDK prints them (to_json, console exporter, prompt flow), or Phoenix's client and REST API, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): {name, context: {trace_id, span_id}, parent_id, start_time, end_time, attributes, events, resource}; Phoenix: span_kind, status_code, status_message beside them
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: ids with or without 0x · times without a zone are UTC
-- Source: opentelemetry-python, sdk/trace: ReadableSpan.to_json
create or replace view otel_sdk_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"name":"VARCHAR","context":{"trace_id":"VARCHAR","span_id":"VARCHAR"},"parent_id":"VARCHAR","start_time":"VARCHAR","end_time":"VARCHAR","status":{"status_code":"VARCHAR","description":"VARCHAR"},"span_kind":"VARCHAR","status_code":"VARCHAR","status_message":"VARCHAR","attributes":"VARCHAR","events":[{"name":"VARCHAR","attributes":"VARCHAR"}],"resource":{"attributes":"VARCHAR"}}')) end as r
    from raw_lines where not is_blank(line_text)
),
named as (
    select *, as_moment(r.start_time) as start_at, as_moment(r.end_time) as end_at, coalesce(r.status.status_code, r.status_code) as status_code,
        map_concat(if(r.span_kind is null, map([]::varchar[], []::varchar[]), map(['openinference.span.kind'], [r.span_kind])), attributes_of_json(r.attributes)) as attributes,
        list_transform(coalesce(r.events, []), lambda e: {'name': e.name, 'attributes': attributes_of_json(e.attributes)}) as events
    from read
)
select as_trace_id(replace(r.context.trace_id, '0x', '')) as trace_id, as_span_id(replace(r.context.span_id, '0x', '')) as span_id, as_span_id(replace(r.parent_id, '0x', '')) as parent_span_id,
    r.name as name, start_at as start, end_at as "end", span_ms_of(start_at, end_at) as duration_ms,
    if(is_error_code(status_code), 'error', 'ok') as status,
    if(is_error_code(status_code), error_type_of(attributes['error.type'], events, coalesce(r.status.description, r.status_message)), null) as error_type,
    attributes, attributes_of_json(r.resource.attributes) as resource, events, file as source, line as source_line,
    span_flags(start_at, end_at, span_ms_of(start_at, end_at)) as flags,
    case when r.context.span_id is not null then null when r is not null then 'no span context' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end as reject_reason, line_text as excerpt
from named;
