-- all_spans -> spans: each span once. Key (trace_id, span_id).
-- In:   all_spans (contract.spans, reject_reason, excerpt) of every trace file
-- Edge: the same span twice (a retry, an update): the latest end wins, then the longer record
--       · a span without id (or an id of zeros) is never a repeat: its place stands for it, flag no_span_id; one without a trace is a trace of its own
--       · the rows of the few keys that come twice take the full path, the rest is only hashed
create or replace table repeated_spans as
select h from (select hash(trace_id, span_id) as h from all_spans where reject_reason is null and span_id is not null) group by h having count(*) > 1;

create or replace table resolved_spans as
select * exclude (place) from (
    select *, row_number() over (partition by trace_id, span_id order by "end" desc nulls last, cardinality(attributes) desc, name desc, md5(attributes::varchar), source, source_line) as place
    from all_spans where reject_reason is null and span_id is not null and hash(trace_id, span_id) in (from repeated_spans))
where place = 1;

create or replace view spans as
select * exclude (reject_reason, excerpt) replace (coalesce(trace_id, span_id) as trace_id) from (
    select * from all_spans where reject_reason is null and span_id is not null and hash(trace_id, span_id) not in (from repeated_spans)
    union all by name
    from resolved_spans
    union all by name
    select * exclude (place) replace (source || ':' || source_line || '#' || place as span_id, list_append(flags, 'no_span_id') as flags)
    from (select *, row_number() over (partition by source, source_line order by start, name, md5(attributes::varchar)) as place
        from all_spans where reject_reason is null and span_id is null));
