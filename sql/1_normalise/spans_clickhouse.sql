-- raw_clickhouse -> clickhouse_spans: Parquet of the ClickHouse exporter or otlp2parquet, to contract.spans.
-- In:   raw_clickhouse: trace_id, span_id, parent_span_id, name, status_code, status_message varchar; start_ns bigint;
--       duration_ns varchar; attributes, resource map(varchar, varchar); event_names varchar[]; event_attributes map(varchar, varchar)[];
--       file varchar, line bigint, line_text, problem varchar (null = a row; sql text, JSON text and binary columns are already told apart by type)
-- Out:  contract.spans, and reject_reason, excerpt
-- Edge: Duration is nanoseconds; negative -> null and flag
-- Source: opentelemetry-collector-contrib, exporter/clickhouseexporter; smithclay/otlp2parquet
create or replace view clickhouse_spans as
with timed as (select *, start_ns + try_cast(duration_ns as bigint) as end_ns, list_transform(list_zip(coalesce(event_names, []), coalesce(event_attributes, [])),
    lambda e: {'name': e[1], 'attributes': e[2]}) as events from raw_clickhouse)
select as_trace_id(trace_id) as trace_id, as_span_id(span_id) as span_id, as_span_id(parent_span_id) as parent_span_id, name,
    moment_of_ns(start_ns) as start, if(end_ns >= start_ns, moment_of_ns(end_ns), null) as "end", span_ms(start_ns, end_ns) as duration_ms,
    if(is_error_code(replace(status_code, 'Error', 'ERROR')), 'error', 'ok') as status,
    if(is_error_code(replace(status_code, 'Error', 'ERROR')), error_type_of(attributes['error.type'], events, status_message), attributes['error.type']) as error_type,
    attributes, resource, events, file as source, line as source_line, span_flags(start_ns, end_ns, span_ms(start_ns, end_ns)) as flags,
    problem as reject_reason, line_text as excerpt
from timed;
