-- raw_lines -> mlflow_spans: MLflow traces (version 2 and 3), to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): {info, data: {spans}}, or a row of search_traces(), which holds that in `trace` (as text)
--       or only its `spans`; attribute values are JSON in a text
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: ids in hex or base64 · tags and trace_metadata stand in `resource`
-- Source: mlflow/mlflow, entities/span.py: Span.to_dict, LiveSpan
create or replace macro mlflow_value(value) as if(value[1] = '"', coalesce(try(value::json ->> '$'), value), value);

create or replace macro mlflow_trace(line) as case when not contains(line, '"trace"') and contains(line, '"data"') or not json_valid(line) then line
    when json_type(line, '$.trace') in ('VARCHAR', 'OBJECT') and json_type(line, '$.data') is null then line ->> '$.trace'
    when json_type(line, '$.spans') is not null and json_type(line, '$.data') is null
        then '{"data":{"spans":' || if(json_type(line, '$.spans') = 'VARCHAR', line ->> '$.spans', (line -> '$.spans')::varchar) || '},"info":' || line || '}'
    else line end;

create or replace view mlflow_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(mlflow_trace(line_text), '{"info":{"tags":"VARCHAR","trace_metadata":"VARCHAR","request_metadata":"VARCHAR"},"data":{"spans":[{"name":"VARCHAR","context":{"trace_id":"VARCHAR","span_id":"VARCHAR"},"trace_id":"VARCHAR","span_id":"VARCHAR","parent_id":"VARCHAR","parent_span_id":"VARCHAR","start_time":"VARCHAR","end_time":"VARCHAR","start_time_unix_nano":"VARCHAR","end_time_unix_nano":"VARCHAR","status_code":"VARCHAR","status_message":"VARCHAR","status":{"code":"VARCHAR","message":"VARCHAR"},"attributes":"VARCHAR","events":[{"name":"VARCHAR","attributes":"VARCHAR"}]}]}}')) end as r
    from raw_lines where not is_blank(line_text)
),
spans as (
    select file, line, if(len(r.data.spans) > 0, null, line_text) as line_text, r.info as info, case when len(r.data.spans) > 0 then null when r is not null then 'no MLflow spans' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end as line_problem,
        unnest(if(coalesce(len(r.data.spans), 0) = 0, [null], r.data.spans)) as s
    from read
),
named as (
    select *, as_ns(coalesce(s.start_time_unix_nano, s.start_time)) as start_ns, as_ns(coalesce(s.end_time_unix_nano, s.end_time)) as end_ns,
        map_from_entries(list_transform(map_entries(attributes_of_json(s.attributes)), lambda a: {'key': a.key, 'value': mlflow_value(a.value)})) as attributes,
        list_transform(coalesce(s.events, []), lambda e: {'name': e.name, 'attributes': attributes_of_json(e.attributes)}) as events,
        is_error_code(coalesce(s.status.code, s.status_code)) as is_error
    from spans
)
select as_trace_id(replace(coalesce(s.trace_id, s.context.trace_id), '0x', '')) as trace_id, as_span_id(replace(coalesce(s.span_id, s.context.span_id), '0x', '')) as span_id,
    as_span_id(replace(coalesce(nullif(s.parent_span_id, ''), s.parent_id), '0x', '')) as parent_span_id, s.name as name,
    moment_of_ns(start_ns) as start, moment_of_ns(end_ns) as "end", span_ms(start_ns, end_ns) as duration_ms, if(is_error, 'error', 'ok') as status,
    if(is_error, error_type_of(attributes['error.type'], events, coalesce(s.status.message, s.status_message)), null) as error_type, attributes,
    map_concat(attributes_of_json(coalesce(info.trace_metadata, info.request_metadata)), attributes_of_json(info.tags)) as resource, events, file as source, line as source_line,
    span_flags(start_ns, end_ns, span_ms(start_ns, end_ns)) as flags, line_problem as reject_reason, coalesce(line_text, s.name) as excerpt
from named;
