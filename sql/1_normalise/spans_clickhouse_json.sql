-- raw_lines -> raw_clickhouse: rows of the ClickHouse exporter's table as JSON (FORMAT JSONEachRow, or JSON), in the columns spans_clickhouse.sql reads.
-- In:   raw_lines (file, line, line_text, problem)
-- Edge: a time is ClickHouse's own text, ISO or an epoch number; 64-bit integers may be text
-- Source: ClickHouse, output formats; opentelemetry-collector-contrib, exporter/clickhouseexporter
create or replace view raw_clickhouse as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"Timestamp":"VARCHAR","TraceId":"VARCHAR","SpanId":"VARCHAR","ParentSpanId":"VARCHAR","SpanName":"VARCHAR","ServiceName":"VARCHAR","StatusCode":"VARCHAR","StatusMessage":"VARCHAR","Duration":"VARCHAR","SpanAttributes":"VARCHAR","ResourceAttributes":"VARCHAR","Events.Name":["VARCHAR"],"Events.Attributes":["VARCHAR"]}')) end as r
    from raw_lines where not is_blank(line_text)
)
select r.TraceId as trace_id, r.SpanId as span_id, r.ParentSpanId as parent_span_id, r.SpanName as name, r.StatusCode as status_code, r.StatusMessage as status_message,
    r.Duration as duration_ns, coalesce(epoch_ns(try_cast(r."Timestamp" as timestamp_ns)), epoch_us(as_moment(r."Timestamp")) * 1000) as start_ns, attributes_of_json(r.SpanAttributes) as attributes,
    map_concat(if(r.ServiceName is null, map([]::varchar[], []::varchar[]), map(['service.name'], [r.ServiceName])), attributes_of_json(r.ResourceAttributes)) as resource,
    r."Events.Name" as event_names, list_transform(r."Events.Attributes", lambda ca1: attributes_of_json(ca1)) as event_attributes,
    file, line, line_text, case when r.SpanId is not null then null when r is not null then 'no span of the ClickHouse exporter' when problem is not null then problem
        when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end as problem
from read;
