-- raw_lines -> trec_run_events: a TREC run file (topic, Q0, document, rank, score, tag), one event per topic and tag.
-- In:   raw_lines (file, line, line_text, problem)
-- Out:  contract.events, and reject_reason, excerpt: a line with fewer than six columns is a reject of its own
-- Edge: order = the rank column, then score; `order = score` re-sorts as trec_eval does (which ignores the rank column)
--       · lines that begin with # and blank lines are comments · what stands after the tag is ignored (trec_eval)
-- Source: trec_eval README, "results file format"
create or replace table run_lines as from raw_lines;  -- a stream is read once, its lines several times

create or replace view trec_run_events as
with fields as (
    select file, line, line_text, problem, string_split_regex(trim(line_text), '\s+') as f
    from run_lines where trim(line_text) <> '' and line_text not like '#%'
),
good as (select file, line, f[1] as query_id, f[3] as document_id, try_cast(f[4] as double) as rank, try_cast(f[5] as double) as score, f[6] as tag
    from fields where len(f) >= 6 and try_cast(f[5] as double) is not null and problem is distinct from 'not UTF-8')
select
    file || ':' || min(line) as event_id, null::timestamptz as "timestamp", null::varchar as trace_id, null::varchar as span_id,
    query_id, null::varchar as query_text, null::varchar as query_class, null::varchar as tenant_id, null::varchar as session_id,
    tag as variant, null::varchar as index_version, 'retrieval' as operation, null::varchar as data_source_id, null::integer as top_k,
    list(document_id order by rank, score desc, line) as ranked_ids, list(if(isfinite(score), score, null) order by rank, score desc, line) as scores,
    null::varchar[] as candidate_ids, null::varchar[] as texts, null::map(varchar, double) as stage_ms, null::double as total_ms,
    null::bigint as input_tokens, null::bigint as output_tokens, null::double as cost_usd, null::boolean as cache_hit,
    'ok' as status, null::varchar as error_type, null::map(varchar, varchar) as attributes,
    file as source, min(line) as source_line, if(bool_or(not isfinite(score)), ['score_invalid'], []::varchar[]) as flags,
    null::varchar as reject_reason, null::varchar as excerpt
from good group by file, query_id, tag
union all by name
select null::varchar as event_id, []::varchar[] as ranked_ids, file as source, line as source_line,
    coalesce(problem, 'not a TREC run line (topic Q0 document rank score tag)') as reject_reason, line_text as excerpt
from fields where len(f) < 6 or try_cast(f[5] as double) is null or problem = 'not UTF-8';
