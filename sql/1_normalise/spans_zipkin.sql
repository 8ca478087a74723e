-- raw_lines -> zipkin_spans: Zipkin's JSON, version 2, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): a span, or a trace as an array of spans
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: times and durations are microseconds · an error is a tag `error` that is not false, or otel.status_code = ERROR
-- Source: openzipkin/zipkin-api, zipkin2-api.yaml (Span)
create or replace macro zipkin_span() as '{"traceId":"VARCHAR","id":"VARCHAR","parentId":"VARCHAR","name":"VARCHAR","timestamp":"VARCHAR","duration":"VARCHAR","localEndpoint":{"serviceName":"VARCHAR"},"tags":"MAP(VARCHAR, VARCHAR)"}';

create or replace view zipkin_spans as
with read as (
    select file, line, line_text, case
            when problem is not distinct from 'not UTF-8' then null
            when opens_object(line_text) then [try(json_transform(line_text, zipkin_span()))]
            else try(json_transform(line_text, '[' || zipkin_span() || ']')) end as spans,
        coalesce(len(list_filter(spans, lambda zs1: zs1.id is not null)) > 0, false) as has_spans,
        if(has_spans, null, case when problem is not null then problem when ltrim(line_text)[1] not in ('{', '[') then 'not a JSON object'
            when json_valid(line_text) then 'no Zipkin span' else 'malformed JSON' end) as line_problem
    from raw_lines where not is_blank(line_text)
),
named as (
    select *, coalesce(s.tags, map([]::varchar[], []::varchar[])) as attributes, try_cast(s.timestamp as hugeint) * 1000 as start_ns, start_ns + try_cast(s.duration as hugeint) * 1000 as end_ns,
        coalesce(lower(attributes['error']) <> 'false', false) or is_error_code(attributes['otel.status_code']) as is_error
    from (select file, line, line_text, line_problem, unnest(if(has_spans, spans, [null])) as s from read)
)
select as_trace_id(s.traceId) as trace_id, as_span_id(s.id) as span_id, as_span_id(s.parentId) as parent_span_id, s.name as name,
    moment_of_ns(start_ns) as start, moment_of_ns(end_ns) as "end", span_ms(start_ns, end_ns) as duration_ms, if(is_error, 'error', 'ok') as status,
    if(is_error, error_type_of(attributes['error.type'], []::struct("name" varchar, attributes map(varchar, varchar))[], attributes['error']), null) as error_type, attributes,
    if(s.localEndpoint.serviceName is null, map([]::varchar[], []::varchar[]), map(['service.name'], [s.localEndpoint.serviceName])) as resource,
    []::struct("name" varchar, attributes map(varchar, varchar))[] as events, file as source, line as source_line,
    span_flags(start_ns, end_ns, span_ms(start_ns, end_ns)) as flags, line_problem as reject_reason, left(line_text, 200) as excerpt
from named;
