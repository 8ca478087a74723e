-- picked_spans, span_roles -> span_tree, event_spans, event_members: which spans make one ranked list handed to a consumer.
-- Out:  span_tree (trace_id, top_id, span_id): every descendant of a picked span, itself included
--       event_members (trace_id, event_id, span_id): the picked spans one event is made of
-- Edge: an event is a picked span without a picked ancestor · retrievers that end before a reranker of the same parent (or whose
--       ids it takes in) are that reranker's candidates, not events · a ring of parents ends; its smallest span id stands on top
--       · a parent that is in no file is no parent
create or replace table span_tree as
with recursive tree as (
    select trace_id, span_id as top_id, span_id from picked_spans
    union
    select t.trace_id, t.top_id, c.span_id from tree as t inner join span_roles as c on c.trace_id = t.trace_id and c.parent_span_id = t.span_id
)
select * from tree;

create or replace table top_spans as
select p.trace_id, p.span_id, p.parent_span_id, p.operation, p.start, p."end", p.duration_ms from picked_spans as p
where not exists (
    select 1 from span_tree as up inner join picked_spans as a on a.trace_id = up.trace_id and a.span_id = up.top_id
    where up.trace_id = p.trace_id and up.span_id = p.span_id and up.top_id <> p.span_id
        and (up.top_id < p.span_id or not exists (select 1 from span_tree as down where down.trace_id = p.trace_id and down.top_id = p.span_id and down.span_id = up.top_id)));

create or replace table event_members as
with joined as (  -- a retriever and the first reranker after it
    select r.trace_id, r.span_id, arg_min(k.span_id, (k.start, k.span_id)) as event_id
    from top_spans as k inner join top_spans as r on r.trace_id = k.trace_id and k.start >= r."end"
    inner join picked_spans as took on took.trace_id = k.trace_id and took.span_id = k.span_id
    inner join picked_spans as gave on gave.trace_id = r.trace_id and gave.span_id = r.span_id
    where k.operation = 'rerank' and r.operation <> 'rerank' and (k.parent_span_id is not distinct from r.parent_span_id
        or list_has_any(list_transform(took.input_documents, lambda d: d.id), list_transform(gave.documents, lambda d: d.id)))
    group by r.trace_id, r.span_id
)
select t.trace_id, coalesce(j.event_id, t.span_id) as event_id, t.span_id
from top_spans as t left join joined as j on j.trace_id = t.trace_id and j.span_id = t.span_id;

create or replace table event_spans as
select m.trace_id, m.event_id, min(t.start) as start, max(t."end") as "end", count(*) as n_members,
    if(count(*) = 1, any_value(t.duration_ms), if(count(t.duration_ms) = count(*), span_ms_of(min(t.start), max(t."end")), null)) as total_ms
from event_members as m inner join top_spans as t on t.trace_id = m.trace_id and t.span_id = m.span_id
group by m.trace_id, m.event_id;
