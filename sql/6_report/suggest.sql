-- asked_*, ask_groups, ask_like -> suggestions: what to label next, why, and how far it gets the coverage.
-- In:   corpus_texts(document_id, text), where a corpus was named; opt_suggest_n(): lines wanted; opt_suggest_documents(): documents a line; opt_suggest_k(): the depth of asked.sql
-- Key:  task (1 = first) · one line a query, or group of queries that say the same
-- Out:  reasons: traffic (unlabelled, asked most) · class (the same, the classes taking turns, the least covered first) · unjudged (labelled,
--       most documents in its first k that no label speaks of) · moved (most recalls whose list or recall changed between the halves of the period)
--       adds_traffic, traffic_after: share of events whose query has a label, that this line adds, and with all lines up to it;
--       adds_judged, judged_after: the same of the documents in the first k, if every document listed is judged
-- Order: the four reasons take turns, a changed answer first, each query once
-- Edge: moved needs events in both halves; 1 = no document in common, 0 = the same share of events for every document; events counted,
--       so that one odd list among many moves little · a document named by the query's label is not listed again
create or replace view ask_units as  -- what one line is about: a group of unlabelled queries, or a labelled query
select a.*, coalesce(g.group_no, a.ask_no) as group_no from asked_queries as a left join ask_groups as g using (ask_no);

create table if not exists corpus_texts (document_id varchar, text varchar);

create or replace table unit_documents as
with
judged as (select a.ask_no, unnest(q.label.documents).document_id as document_id from asked_queries as a inner join labelled_queries as q using (label_no)),
summed as (
    select u.group_no, d.document_id, sum(d.n)::bigint as n, sum(d.n_early)::bigint as n_early, min(d.best_rank) as best_rank, min(d.text) as text,
        bool_or(j.document_id is not null) as is_judged
    from asked_documents as d inner join ask_units as u using (ask_no) left join judged as j on j.ask_no = d.ask_no and j.document_id = d.document_id
    group by all
)
select *, row_number() over (partition by group_no, is_judged order by n desc, best_rank, document_id) as place from summed;

create or replace table units as
with
sums as (
    select group_no, sum(n)::bigint as n, sum(n_early)::bigint as n_early, sum(n_slots)::bigint as n_slots, sum(n_unjudged)::bigint as n_unjudged,
        count(*)::integer as n_queries
    from ask_units group by group_no
),
moves as (  -- whole numbers, so that no order of summing shows
    select group_no, sum(least(d.n_early * (s.n - s.n_early), (d.n - d.n_early) * s.n_early)) as both,
        greatest(sum(d.n_early * (s.n - s.n_early)), sum((d.n - d.n_early) * s.n_early)) as most
    from unit_documents as d inner join sums as s using (group_no)
    where s.n_early > 0 and s.n_early < s.n group by group_no
),
listed as (
    select group_no, sum(n)::bigint as n_listed, list({'document_id': document_id, 'n': n, 'best_rank': best_rank, 'text': coalesce(d.text, c.text)} order by place) as documents
    from unit_documents as d left join corpus_texts as c using (document_id) where not is_judged and place <= opt_suggest_documents() group by group_no
)
select s.*, a.label_no, a.tenant_id, a.asked_key, a.query_id, a.query_text, a.query_class, a.value_early, a.value_late,
    1 - m.both::double / nullif(m.most, 0) as moved, coalesce(l.n_listed, 0) as n_listed, coalesce(l.documents, []) as documents
from sums as s inner join asked_queries as a on a.ask_no = s.group_no left join moves as m using (group_no) left join listed as l using (group_no);

create or replace view class_coverage as
select query_class, sum(n)::bigint as n, coalesce(sum(n) filter (label_no is not null), 0)::bigint as n_labelled,
    coalesce(sum(n) filter (label_no is not null), 0) / sum(n) as traffic_labelled,
    count(distinct label_no) as labelled_queries, count(*) filter (label_no is null) as unlabelled_queries
from units group by query_class order by traffic_labelled, n desc, query_class nulls first;

create or replace table picked as
with
reasons as (
    select group_no, 1 as reason_no, 'traffic' as reason, row_number() over (order by n desc, group_no) as place from units where label_no is null
    union all
    select group_no, 2, 'class', row_number() over (order by place, traffic_labelled, n desc, group_no)
    from (select u.group_no, u.n, c.traffic_labelled, row_number() over (partition by u.query_class order by u.n desc, u.group_no) as place
        from units as u inner join class_coverage as c on c.query_class is not distinct from u.query_class where u.label_no is null)
    union all
    select group_no, 3, 'unjudged', row_number() over (order by n_unjudged desc, group_no) from units where label_no is not null and n_unjudged > 0
    union all
    select group_no, 0, 'moved', row_number() over (order by n * greatest(coalesce(moved, 0), coalesce(abs(value_late - value_early), 0)) desc, group_no)
    from units where len(documents) > 0 and greatest(moved, abs(value_late - value_early)) > 0
),
first_turns as (
    select group_no, min((place - 1) * 4 + reason_no) as turn, list(reason order by place * 4 + reason_no) filter (place <= opt_suggest_n()) as reasons
    from reasons group by group_no
)
select group_no, row_number() over (order by turn)::integer as task, reasons, null::double as inclusion_probability from first_turns
qualify task <= opt_suggest_n();

create or replace view suggest_counts as
select e.*, (select count(*) from labelled_queries) as n_labelled_queries,
    (select count(*) from asked_queries where label_no is null) as n_unlabelled_queries, u.*,
    e.n_labelled / nullif(e.n_events, 0) as traffic_labelled, u.n_judged / nullif(u.n_slots, 0) as judged_share
from (
    select count(*) as n_events, count(label_no) as n_labelled, count(*) filter (asked_key is null) as n_without_query from asked_events
) as e cross join (
    select count(*) filter (label_no is null) as n_groups, coalesce(sum(n_slots), 0)::bigint as n_slots, coalesce(sum(n_slots - n_unjudged), 0)::bigint as n_judged
    from units
) as u;

create or replace view suggestions as
with
several as (select asked_key from asked_queries group by asked_key having count(distinct tenant_id) > 1),
told as (
    select p.task, p.reasons, p.inclusion_probability, u.*, opt_join() <> 'query_text' as by_id,
        (select count(tenant_id) > 0 or count(*) = 0 from labelled_queries) or u.asked_key in (from several) as by_tenant
    from picked as p inner join units as u using (group_no)
)
select t.task, t.reasons, t.inclusion_probability, if(t.by_id, t.query_id, null) as query_id, t.query_text, if(t.by_tenant, t.tenant_id, null) as tenant_id, t.tenant_id as asked_by, t.query_class,
    t.label_no is not null as is_labelled, t.n, if(t.label_no is null, t.n, 0) / c.n_events as adds_traffic,
    (c.n_labelled + sum(if(t.label_no is null, t.n, 0)) over so_far) / c.n_events as traffic_after,
    t.n_listed / nullif(c.n_slots, 0) as adds_judged, (c.n_judged + sum(t.n_listed) over so_far) / nullif(c.n_slots, 0) as judged_after,
    t.moved, t.value_early, t.value_late,
    coalesce((select list({'query_id': if(t.by_id, a.query_id, null), 'query_text': a.query_text, 'n': a.n, 'similarity': g.similarity} order by g.ask_no)
        from ask_groups as g inner join asked_queries as a using (ask_no) where g.group_no = t.group_no and g.ask_no <> t.group_no), []) as similar,
    t.documents,
    coalesce((select list({'document_id': d.document_id, 'gain': d.gain, 'is_relevant': d.is_relevant} order by d.document_id)
        from (select unnest(label.documents) as d from labelled_queries where label_no = t.label_no)), []) as labelled,
    if(l.label_no is null, null, {'query_id': q.query_id, 'query_text': q.query_text, 'similarity': l.similarity,
        'relevant': list_transform(list_filter(q.label.documents, lambda d: d.is_relevant), lambda d: d.document_id)}) as like_labelled
from told as t cross join suggest_counts as c
left join ask_like as l on l.ask_no = t.group_no
left join labelled_queries as q on q.label_no = l.label_no
window so_far as (order by t.task rows unbounded preceding)
order by t.task;
