-- Deliveries of the same event: key (event_id, UTC day). events -> events_once.
-- In:   events (contract.events), duplicate_hashes · Out: duplicates_resolved, events_once
-- Rows of the few ids whose hashes collide take the full path.
-- The winner is the latest end, then the largest content hash over every column but the place it was read from:
-- it does not depend on order, file or machine. Deliveries alike in all of it are the same event, whichever stays.

create or replace macro in_key_order(entries) as list_sort(map_entries(entries));
create or replace table duplicates_resolved as
select * exclude (place, content) from (
    select *, row_number() over (
        partition by event_id, date_trunc('day', "timestamp")
        order by "timestamp" + to_milliseconds(coalesce(total_ms, 0)) desc nulls last, md5(content) desc, source, source_line) as place
    from (select *, to_json(struct_pack(
            trace_id, span_id, query_id, query_text, query_class, tenant_id, session_id, variant, index_version, operation, data_source_id, top_k,
            ranked_ids, scores, candidate_ids, texts, stages := in_key_order(stage_ms), total_ms, input_tokens, output_tokens, cost_usd,
            cache_hit, status, error_type, others := in_key_order(attributes), flags := list_sort(flags)))::varchar as content
        from events where hash(event_id) in (select h from duplicate_hashes)))
where place = 1;

create or replace view events_once as
select * from events where hash(event_id) not in (select h from duplicate_hashes)
union all
select * from duplicates_resolved;
