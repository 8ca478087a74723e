-- event_spans, event_members, span_tree, span_roles -> event_stages: how long each stage of a recall took.
-- Out:  event_stages (trace_id, event_id, stage_ms); stage_intervals: the spans they are made of
-- Edge: descendants of the event's spans; where there are none, siblings under its parent that end before the next retrieval; a tool's span is none
--       · parallel spans of one stage: length of the union of intervals · search = database spans, else the retriever minus what
--       other stages take inside it · generate = the first chat span after it in the same trace
--       · end missing or before start: the stage is there, its time is null
--       · a span of our own recorder (recallwatch.recorded) has the stages it named and no derived search
create or replace table inner_spans as
with below as (
    select distinct m.trace_id, m.event_id, m.span_id as member_id, r.* exclude (trace_id), r.parent_span_id = m.span_id as is_child
    from event_members as m inner join span_tree as t on t.trace_id = m.trace_id and t.top_id = m.span_id and t.span_id <> m.span_id
    inner join span_roles as r on r.trace_id = t.trace_id and r.span_id = t.span_id
),
ranked_events as (select e.*, p.parent_span_id, lead(e.start) over (partition by e.trace_id, p.parent_span_id order by e.start, e.event_id) as next_start,
        lag(e.start) over (partition by e.trace_id, p.parent_span_id order by e.start, e.event_id) as last_start
    from event_spans as e inner join top_spans as p on p.trace_id = e.trace_id and p.span_id = e.event_id),
beside as (  -- what comes before a retrieval (embed) is its own, what comes after it is its own up to the next one
    select e.trace_id, e.event_id, null::varchar as member_id, r.* exclude (trace_id), true as is_child
    from ranked_events as e inner join span_roles as r on r.trace_id = e.trace_id and r.parent_span_id = e.parent_span_id
    where not exists (select 1 from below as b where b.trace_id = e.trace_id and b.event_id = e.event_id)
        and r.operation is null and not r.is_tool and coalesce(r.stage, stage_by_name(r.name)) is distinct from 'generate'
        and if(r.start < e.start, e.last_start is null or r.start >= e.last_start and coalesce(r.stage, stage_by_name(r.name)) = 'embed',
            r."end" <= coalesce(e.next_start, 'infinity'::timestamptz) and (coalesce(r.stage, stage_by_name(r.name)) is distinct from 'embed' or e.next_start is null))
),
found as (from below union all by name from beside)
select *, coalesce(stage, stage_by_name(name), if(is_child and not exists (select 1 from span_roles as c where c.trace_id = found.trace_id and c.parent_span_id = found.span_id), lower(name), null)) as stage_name,
    stage is null as by_name
from found;

create or replace table stage_intervals as
with own as (  -- the members themselves, and retrievals inside them
    select m.trace_id, m.event_id, if(r.operation = 'rerank', 'rerank', 'search') as stage, r.start, r."end", r.duration_ms, r.span_id, true as is_own
    from (select trace_id, event_id, span_id from event_members union select trace_id, event_id, span_id from inner_spans where operation is not null) as m
    inner join span_roles as r on r.trace_id = m.trace_id and r.span_id = m.span_id
    where not r.is_recorded
),
inside as (
    select distinct trace_id, event_id, stage_name as stage, start, "end", duration_ms, span_id, false as is_own
    from inner_spans where operation is null and (stage_name <> 'generate' or is_named_stage)
),
generated as (
    select e.trace_id, e.event_id, 'generate' as stage, arg_min(r.start, (r.start, -r.duration_ms)) as start, arg_min(r."end", (r.start, -r.duration_ms)) as "end",
        arg_min(r.duration_ms, (r.start, -r.duration_ms)) as duration_ms, arg_min(r.span_id, (r.start, -r.duration_ms)) as span_id, false as is_own
    from event_spans as e inner join span_roles as r on r.trace_id = e.trace_id and r.stage = 'generate' and r.start >= e."end" group by e.trace_id, e.event_id
),
every as (from own union all by name from inside union all by name from generated)
select *, epoch_us(start) as a, epoch_us("end") as b from every;

create or replace table taken_inside as  -- spans of another stage under a retrieval or rerank span, cut to it
select o.trace_id, o.event_id, o.stage, i.span_id, i.duration_ms, greatest(i.a, o.a) as a, least(i.b, o.b) as b
from stage_intervals as o inner join span_tree as t on t.trace_id = o.trace_id and t.top_id = o.span_id
inner join stage_intervals as i on i.trace_id = o.trace_id and i.event_id = o.event_id and i.span_id = t.span_id
where o.is_own and i.stage in ('embed', 'rerank', 'search') and i.stage <> o.stage and i.b > o.a and i.a < o.b;

-- length of a union of intervals, per event and stage; of a single span its own duration, to the nanosecond
create or replace macro covered(relation) as table
    select trace_id, event_id, stage, if(count(*) = 1, max(duration_ms), sum(greatest(0, b - greatest(a, coalesce(reached, a)))) / 1e3) as ms
    from (select *, max(b) over (partition by trace_id, event_id, stage order by a, b, span_id rows between unbounded preceding and 1 preceding) as reached
        from query_table(relation) where b >= a)
    group by trace_id, event_id, stage;
create or replace table own_intervals as select * from stage_intervals where is_own;
create or replace table inside_intervals as select * from stage_intervals where not is_own;

create or replace table event_stages as
with own as (
    select o.trace_id, o.event_id, o.stage, greatest(0, o.ms - coalesce(t.ms, 0)) as ms
    from covered('own_intervals') as o left join covered('taken_inside') as t using (trace_id, event_id, stage)
),
there as (select distinct trace_id, event_id, stage from stage_intervals),
times as (
    select trace_id, event_id, stage, if(stage = 'search', coalesce(inside.ms, own.ms), coalesce(own.ms, inside.ms)) as ms
    from there left join own using (trace_id, event_id, stage) left join covered('inside_intervals') as inside using (trace_id, event_id, stage)
)
select trace_id, event_id, map_from_entries(list({'key': stage, 'value': ms} order by stage)) as stage_ms from times group by trace_id, event_id;
