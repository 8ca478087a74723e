-- raw_flat -> flat_events: one record of a flat log, aliases already resolved to canonical names, as the contract wants it.
-- In:   raw_flat: the columns of contract.events, each nullable and of its raw type, and
--       error varchar, file varchar, line bigint, line_text varchar, problem varchar
-- Out:  contract.events, and reject_reason (null = an event), excerpt
-- Edge: no ranked_ids and status error -> [] (the consumer got nothing); no ranked_ids, texts there -> a null id per text
--       (unscorable, counted); neither -> reject: missing is not empty
--       · an empty query_id or tenant_id names nothing: null
-- Each repair stands behind a fact of 1_normalise/facts.sql: where no record needs it, the column is passed on untouched
-- (a repaired list is a copied list: it doubled the time of a scan).
create or replace macro some_time_broken(total_ms, stage_ms) as fact_broken_time() and (is_broken(total_ms) or has_broken_stage(stage_ms));
create or replace macro some_cost_broken(cost_usd, input_tokens, output_tokens) as
    fact_broken_cost() and (is_broken(cost_usd) or is_broken(input_tokens) or is_broken(output_tokens));

create or replace view flat_events as
select
    coalesce(event_id, trace_id || ':' || span_id, file || ':' || line) as event_id, "timestamp",
    lower(trace_id) as trace_id, lower(span_id) as span_id,
    nullif(query_id, '') as query_id, query_text, query_class, nullif(tenant_id, '') as tenant_id, session_id, variant, index_version, operation, data_source_id,
    try_cast(top_k as integer) as top_k,
    if(fact_missing_ids(), coalesce(ranked_ids, list_transform(texts, lambda t: null::varchar), []::varchar[]), ranked_ids) as ranked_ids,
    finite_scores(scores) as scores, candidate_ids, texts,
    if(fact_broken_time(), measured_stages(stage_ms), stage_ms) as stage_ms,
    if(fact_broken_time(), measured(coalesce(total_ms, stage_ms['total'])), coalesce(total_ms, stage_ms['total'])) as total_ms,
    try_cast(measured(input_tokens) as bigint) as input_tokens, try_cast(measured(output_tokens) as bigint) as output_tokens,
    measured(cost_usd) as cost_usd, cache_hit,
    if(fact_status(), as_status(status, error), 'ok') as status,
    coalesce(error_type, if(lower(error) not in ('true', 'false', '', '0', '1', 'null', 'none'), error, null)) as error_type,
    attributes, coalesce(source, file) as source, coalesce(source_line, line) as source_line,
    if(some_time_broken(total_ms, stage_ms) or some_cost_broken(cost_usd, input_tokens, output_tokens) or has_broken_score(scores) or len(scores) <> len(ranked_ids),
        list_distinct(list_filter(list_concat(coalesce(flags, []::varchar[]), [
            if(some_time_broken(total_ms, stage_ms), 'latency_invalid', null),
            if(some_cost_broken(cost_usd, input_tokens, output_tokens), 'cost_invalid', null),
            if(has_broken_score(scores) or len(scores) <> len(ranked_ids), 'score_invalid', null)]), lambda f: f is not null)),
        coalesce(flags, []::varchar[])) as flags,
    if(fact_rejects(), case
        when problem is not null then problem
        when ranked_ids is null and not fact_whole_texts() and texts is null and as_status(status, error) <> 'error' then 'no result list (ranked_ids)'
        when is_lost_time("timestamp", timestamp_text) then 'timestamp not understood'
    end, null) as reject_reason,
    case when reject_reason = 'timestamp not understood' then coalesce(timestamp_text, "timestamp"::varchar) when reject_reason is not null then left(line_text, 200) end as excerpt
from raw_flat;
