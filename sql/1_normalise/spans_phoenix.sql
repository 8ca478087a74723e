-- raw_phoenix -> phoenix_spans: Parquet of Phoenix's get_spans_dataframe, to contract.spans.
-- In:   raw_phoenix: trace_id, span_id, parent_span_id, name, span_kind, status_code, status_message varchar; start_at, end_at timestamptz;
--       attributes map(varchar, varchar): the columns `attributes.*`, lists and structs as JSON; file varchar, line bigint
-- Out:  contract.spans, and reject_reason, excerpt
-- Source: Arize-ai/phoenix, client get_spans_dataframe; trace/dsl
create or replace view phoenix_spans as
select as_trace_id(trace_id) as trace_id, as_span_id(span_id) as span_id, as_span_id(parent_span_id) as parent_span_id, name,
    start_at as start, end_at as "end", span_ms_of(start_at, end_at) as duration_ms,
    if(is_error_code(status_code), 'error', 'ok') as status, if(is_error_code(status_code), coalesce(attributes['error.type'], nullif(status_message, '')), null) as error_type,
    if(attributes['openinference.span.kind'] is null and span_kind is not null, map_concat(attributes, map(['openinference.span.kind'], [span_kind])), attributes) as attributes,
    map([]::varchar[], []::varchar[]) as resource, []::struct(name varchar, attributes map(varchar, varchar))[] as events,
    file as source, line as source_line, span_flags(start_at, end_at, span_ms_of(start_at, end_at)) as flags, null::varchar as reject_reason, null::varchar as excerpt
from raw_phoenix;
