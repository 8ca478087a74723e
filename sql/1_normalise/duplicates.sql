-- Deliveries of the same event: key (event_id, UTC day). events -> events_once.
-- In:   events (contract.events) · Out: duplicate_hashes, events_once
-- The first pass groups hashes only; rows of the few ids that collide take the full path.
-- The winner is the latest end, then the largest content hash: it does not depend on order, file or machine.
create or replace table duplicate_hashes as
select h from (select hash(event_id) as h from events) group by h having count(*) > 1;

create or replace table duplicates_resolved as
select * exclude (place) from (
    select *, row_number() over (
        partition by event_id, date_trunc('day', "timestamp")
        order by "timestamp" + to_milliseconds(coalesce(total_ms, 0)) desc nulls last, md5(content) desc, source, source_line) as place
    from (select *, to_json(struct_pack(ranked_ids, scores, stage_ms, total_ms, query_id, query_text, status, attributes, tenant_id, variant))::varchar as content
        from events where hash(event_id) in (select h from duplicate_hashes)))
where place = 1;

create or replace view events_once as
select * from events where hash(event_id) not in (select h from duplicate_hashes)
union all
select * exclude (content) from duplicates_resolved;
