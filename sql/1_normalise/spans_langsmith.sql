-- raw_lines -> langsmith_spans: LangSmith runs, one run a record or the client's batches {post, patch}, to contract.spans.
-- In:   raw_lines (file, line, line_text, problem)
-- Out:  contract.spans, and reject_reason (null = a span), excerpt
-- Edge: post (start) and patch (end) of a run are merged by id over all files: of each field the last value that is not null or empty wins · times without a zone are UTC
-- Source: langchain-ai/langsmith-sdk, schemas.py: RunBase; run_trees.py
create or replace macro langsmith_run() as '{"id":"VARCHAR","trace_id":"VARCHAR","parent_run_id":"VARCHAR","run_type":"VARCHAR","name":"VARCHAR","start_time":"VARCHAR","end_time":"VARCHAR","error":"VARCHAR","inputs":"VARCHAR","outputs":"VARCHAR","session_id":"VARCHAR","extra":{"metadata":"VARCHAR"},"prompt_tokens":"VARCHAR","completion_tokens":"VARCHAR","total_cost":"VARCHAR"}';

create or replace view langsmith_spans as
with read as (
    select file, line, line_text, problem,
        case when opens_object(line_text) and problem is distinct from 'not UTF-8' then try(json_transform(line_text, '{"post":[' || langsmith_run() || '],"patch":[' || langsmith_run() || '],' || langsmith_run()[2:])) end as r
    from raw_lines where not is_blank(line_text)
),
records as materialized (
    select file, line, if(len(found) > 0, null, line_text) as line_text,
        if(len(found) > 0, null, case when false then null when r is not null then 'no LangSmith run' when problem is not null then problem
            when ltrim(line_text)[1] = '{' then 'malformed JSON' else 'not a JSON object' end) as line_problem, unnest(if(len(found) > 0, found, [null])) as x
    from (select *, list_concat(
        list_transform(coalesce(r.post, []), lambda p: {'n': 1, 'run': p}), list_transform(coalesce(r.patch, []), lambda p: {'n': 2, 'run': p}),
        if(r.id is not null and (r.run_type is not null or r.end_time is not null), [{'n': if(r.start_time is null, 2, 1), 'run': struct_pack(id := r.id, trace_id := r.trace_id, parent_run_id := r.parent_run_id, run_type := r.run_type, name := r.name, start_time := r.start_time,
            end_time := r.end_time, error := r.error, inputs := r.inputs, outputs := r.outputs, session_id := r.session_id, extra := r.extra, prompt_tokens := r.prompt_tokens, completion_tokens := r.completion_tokens, total_cost := r.total_cost)}], [])) as found from read)
),
runs as (
    select x.run.id as id, max(x.run.trace_id) as trace_id, arg_max(x.run.parent_run_id, x.n) as parent, arg_max(x.run.run_type, x.n) as run_type, arg_max(x.run.name, x.n) as name,
        arg_max(x.run.start_time, x.n) as start_time, arg_max(x.run.end_time, x.n) as end_time, arg_max(x.run.error, x.n) as error,
        arg_max(nullif(x.run.inputs, '{}'), x.n) as inputs, arg_max(nullif(x.run.outputs, '{}'), x.n) as outputs, arg_max(x.run.extra.metadata, x.n) as metadata,
        arg_max(x.run.prompt_tokens, x.n) as prompt_tokens, arg_max(x.run.completion_tokens, x.n) as completion_tokens, arg_max(x.run.total_cost, x.n) as total_cost,
        arg_min(file, x.n) as file, arg_min(line, x.n) as line
    from records where line_problem is null group by x.run.id
),
named as (
    select *, as_moment(start_time) as start_at, as_moment(end_time) as end_at,
        outputs ->> '$.usage_metadata.input_tokens' as used_in, outputs ->> '$.usage_metadata.output_tokens' as used_out from runs
)
select as_trace_id(coalesce(trace_id, id)) as trace_id, as_span_id(id) as span_id, as_span_id(parent) as parent_span_id, name, start_at as start, end_at as "end",
    span_ms_of(start_at, end_at) as duration_ms, if(error is null, 'ok', 'error') as status, error as error_type,
    map_concat(attributes_of_json(metadata), map_from_entries(list_filter([
        {'key': 'langsmith.span.kind', 'value': run_type}, {'key': 'input.value', 'value': inputs}, {'key': 'output.value', 'value': outputs},
        {'key': 'gen_ai.usage.input_tokens', 'value': coalesce(prompt_tokens, used_in)}, {'key': 'gen_ai.usage.output_tokens', 'value': coalesce(completion_tokens, used_out)},
        {'key': 'cost_usd', 'value': total_cost}], lambda e: e.value is not null))) as attributes,
    map([]::varchar[], []::varchar[]) as resource, []::struct(name varchar, attributes map(varchar, varchar))[] as events,
    file as source, line as source_line, span_flags(start_at, end_at, span_ms_of(start_at, end_at)) as flags, null::varchar as reject_reason, null::varchar as excerpt
from named
union all by name
select file as source, line as source_line, line_problem as reject_reason, line_text as excerpt from records where line_problem is not null;
