-- raw_lines -> langfuse_spans: Langfuse traces and observations (API JSON, blob export), to contract.spans.
-- In:   raw_lines (file, line, line_text, problem): an observation, {trace, observations}, or a trace with its observations
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: input, output and metadata may be JSON in a text · latency is seconds and used only where endTime is missing
-- Source: langfuse/langfuse, packages/shared: observations API
create or replace macro langfuse_observation() as '{"id":"VARCHAR","traceId":"VARCHAR","trace_id":"VARCHAR","parentObservationId":"VARCHAR","parent_observation_id":"VARCHAR","type":"VARCHAR","name":"VARCHAR","startTime":"VARCHAR","start_time":"VARCHAR","endTime":"VARCHAR","end_time":"VARCHAR","latency":"DOUBLE","level":"VARCHAR","statusMessage":"VARCHAR","status_message":"VARCHAR","input":"VARCHAR","output":"VARCHAR","metadata":"VARCHAR","usageDetails":{"input":"VARCHAR","output":"VARCHAR"},"usage_details":{"input":"VARCHAR","output":"VARCHAR"},"inputTokens":"VARCHAR","outputTokens":"VARCHAR","inputUsage":"VARCHAR","outputUsage":"VARCHAR","totalCost":"VARCHAR","total_cost":"VARCHAR","version":"VARCHAR"}';
create or replace macro langfuse_trace() as '{"id":"VARCHAR","sessionId":"VARCHAR","userId":"VARCHAR","release":"VARCHAR","version":"VARCHAR","environment":"VARCHAR","metadata":"VARCHAR"}';
create or replace macro given(keys, "values") as map_from_entries(list_filter(list_zip(keys, "values"), lambda gg1: gg1[2] is not null));

create or replace view langfuse_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"trace":' || langfuse_trace() || ',"sessionId":"VARCHAR","userId":"VARCHAR","release":"VARCHAR","environment":"VARCHAR","observations":[' || langfuse_observation() || '],' || langfuse_observation()[2:])) end as r
    from raw_lines where not is_blank(line_text)
),
traces as (  -- a lone observation is its own only row; a trace with observations carries them
    select file, line, if(len(found) > 0, null, line_text) as line_text, coalesce(r.trace.sessionId, r.sessionId) as session_id, coalesce(r.trace.userId, r.userId) as user_id,
        coalesce(r.trace.release, r.release) as release, coalesce(r.trace.environment, r.environment) as environment, coalesce(r.trace.id, if(is_trace, r.id, null)) as trace_id,
        attributes_of_json(coalesce(r.trace.metadata, if(is_trace, r.metadata, null))) as trace_metadata,
        if(len(found) > 0, null, case when false then null when r is not null then 'no Langfuse observation' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end) as line_problem, unnest(if(len(found) > 0, found, [null])) as o
    from (select *, r.observations is not null as is_trace, if(r.observations is not null, r.observations, list_filter([struct_pack(
            id := r.id, traceId := r.traceId, trace_id := r.trace_id, parentObservationId := r.parentObservationId, parent_observation_id := r.parent_observation_id, "type" := r."type", name := r.name,
            startTime := r.startTime, start_time := r.start_time, endTime := r.endTime, end_time := r.end_time, latency := r.latency, level := r.level, statusMessage := r.statusMessage, status_message := r.status_message,
            "input" := r."input", "output" := r."output", metadata := r.metadata, usageDetails := r.usageDetails, usage_details := r.usage_details, inputTokens := r.inputTokens, outputTokens := r.outputTokens,
            inputUsage := r.inputUsage, outputUsage := r.outputUsage, totalCost := r.totalCost, total_cost := r.total_cost, version := r.version)], lambda x: x."type" is not null)) as found from read)
),
named as (
    select *, as_moment(coalesce(o.startTime, o.start_time)) as start_at,
        coalesce(as_moment(coalesce(o.endTime, o.end_time)), as_moment(coalesce(o.startTime, o.start_time)) + to_microseconds(try_cast(measured(o.latency) * 1e6 as bigint))) as end_at
    from traces
)
select as_trace_id(coalesce(o.traceId, o.trace_id, trace_id)) as trace_id, as_span_id(o.id) as span_id, as_span_id(coalesce(o.parentObservationId, o.parent_observation_id)) as parent_span_id,
    o.name as name, start_at as start, end_at as "end", span_ms_of(start_at, end_at) as duration_ms,
    if(upper(o.level) = 'ERROR', 'error', 'ok') as status, if(upper(o.level) = 'ERROR', coalesce(o.statusMessage, o.status_message), null) as error_type,
    map_concat(attributes_of_json(o.metadata), given(
        ['langfuse.observation.type', 'input.value', 'output.value', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'cost_usd'],
        [o."type", o."input", o."output", coalesce(o.usageDetails."input", o.usage_details."input", o.inputTokens, o.inputUsage),
            coalesce(o.usageDetails."output", o.usage_details."output", o.outputTokens, o.outputUsage), coalesce(o.totalCost, o.total_cost)])) as attributes,
    map_concat(trace_metadata, given(['session.id', 'user.id', 'release', 'environment'], [session_id, user_id, release, environment])) as resource,
    []::struct(name varchar, attributes map(varchar, varchar))[] as events, file as source, line as source_line,
    span_flags(start_at, end_at, span_ms_of(start_at, end_at)) as flags, line_problem as reject_reason, coalesce(line_text, o.name) as excerpt
from named;
