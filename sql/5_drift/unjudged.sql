-- lists_a, lists_b -> unjudged_pairs: the documents that one of two lists shows and the other does not, and nobody judged; unjudged_counts: of all queries.
-- In:   lists_a, lists_b (arm_lists.sql): one list of each arm a query; opt_unjudged_k(): depth, null = whole lists; the macros of 2_judge/judge.sql
-- Key:  unjudged_pairs (query)
-- Out:  only_a, only_b: unjudged documents that a, b alone shows in its first k · rho: share of relevant among the judged documents that either shows in its first k;
--       null where no label says `not relevant`, so that nothing is known · supplied_a: share of relevant labels that stand anywhere in a's
--       lists · alone_b: share that only b's lists hold (and the other way round) · n_own_a, own_a: judged documents that a alone shows in its first k, and
--       their share of relevant ones with Wilson's interval, own_a_low and own_a_high (b likewise)
-- Edge: which list is better depends on these documents alone: what both show moves both by the same · an unknown id is no document
create or replace table unjudged_pairs as
select *, list_filter(top_a, lambda d: d is not null and not list_contains(top_b, d) and not list_contains(named, d)) as only_a,
    list_filter(top_b, lambda d: d is not null and not list_contains(top_a, d) and not list_contains(named, d)) as only_b
from (
    select a.query, a.query_id, a.query_text, a.tenant_id, a.query_class, a.is_graded, a.documents, a.ids as ids_a, b.ids as ids_b,
        if(opt_unjudged_k() is null, a.ids, a.ids[1:opt_unjudged_k()]) as top_a, if(opt_unjudged_k() is null, b.ids, b.ids[1:opt_unjudged_k()]) as top_b,
        list_transform(a.documents, lambda l: l.document_id) as named
    from lists_a as a inner join lists_b as b using (query)
);

create or replace view unjudged_counts as
with
judged_shown as (  -- a judged document of a first k
    select unnest(judge(top_a, documents).hits) as h from unjudged_pairs union all select unnest(judge(top_b, documents).hits) from unjudged_pairs
),
labels as (
    select count(*) filter (not l.is_relevant) as n_not_relevant, count(*) filter (l.is_relevant) as n_relevant,
        count(*) filter (l.is_relevant and in_a) as n_a, count(*) filter (l.is_relevant and in_b) as n_b,
        count(*) filter (l.is_relevant and in_a and not in_b) as alone_a, count(*) filter (l.is_relevant and in_b and not in_a) as alone_b,
        count(*) filter (on_top_a and not on_top_b) as n_own_a, count(*) filter (on_top_b and not on_top_a) as n_own_b,
        count(*) filter (l.is_relevant and on_top_a and not on_top_b) / nullif(n_own_a, 0) as own_a, count(*) filter (l.is_relevant and on_top_b and not on_top_a) / nullif(n_own_b, 0) as own_b
    from (select l, list_contains(ids_a, l.document_id) as in_a, list_contains(ids_b, l.document_id) as in_b,
            list_contains(top_a, l.document_id) as on_top_a, list_contains(top_b, l.document_id) as on_top_b
        from (select unnest(documents) as l, ids_a, ids_b, top_a, top_b from unjudged_pairs))
)
select if(n_not_relevant > 0, (select avg(h.is_relevant::integer) from judged_shown), null) as rho,
    n_a / nullif(n_relevant, 0) as supplied_a, n_b / nullif(n_relevant, 0) as supplied_b, alone_a / nullif(n_relevant, 0) as alone_a, alone_b / nullif(n_relevant, 0) as alone_b,
    n_own_a, own_a, wilson_mid(own_a, n_own_a) - wilson_half(own_a, n_own_a) as own_a_low, wilson_mid(own_a, n_own_a) + wilson_half(own_a, n_own_a) as own_a_high,
    n_own_b, own_b, wilson_mid(own_b, n_own_b) - wilson_half(own_b, n_own_b) as own_b_low, wilson_mid(own_b, n_own_b) + wilson_half(own_b, n_own_b) as own_b_high
from labels;

-- what each metric would be on average if each of these documents were relevant with probability theta: drawn by hash, the same for any engine and order
-- In:   thetas(theta), opt_unjudged_draws(): how often it is drawn; unjudged_values is composed of the metrics asked for (variants/unjudged.py)
create or replace macro is_drawn(query, document_id, draw, theta) as (hash(query || chr(0) || document_id || chr(0) || draw) % 1048576) < theta * 1048576;
create or replace view drawn_labels as
select query, is_graded, top_a, top_b, theta, label_of_documents(list_concat(documents, list_transform(
        list_filter(list_concat(only_a, only_b), lambda d: is_drawn(query, d, draw, theta)),
        lambda d: {'document_id': d, 'gain': usual_gain, 'is_relevant': true}))) as label
from unjudged_pairs cross join thetas cross join (select unnest(range(opt_unjudged_draws())) as draw)
cross join (select coalesce(avg(l.gain) filter (l.is_relevant), 1.0) as usual_gain from (select unnest(documents) as l from unjudged_pairs));

-- settle_tasks: which of these documents to judge first, those at the best ranks: a quarter of them, or 20; a line a query
-- Out:  the columns of a worksheet (labels/worksheet.py); documents: document_id, rank, shown_by (a or b)
create or replace view settle_tasks as
with
every as (
    select query, unnest(list_transform(only_a, lambda d: {'document_id': d, 'rank': list_position(top_a, d), 'shown_by': arm_a()})) as d from unjudged_pairs
    union all
    select query, unnest(list_transform(only_b, lambda d: {'document_id': d, 'rank': list_position(top_b, d), 'shown_by': arm_b()})) from unjudged_pairs
),
first as (
    select query, d from every qualify row_number() over (order by d.rank, query, d.shown_by, d.document_id) <= greatest(20, count(*) over () / 4)
),
tasks as (select query, list(d order by d.rank, d.shown_by, d.document_id) as documents from first group by query)
select row_number() over (order by t.documents[1].rank, len(t.documents) desc, query) as task, ['settle'] as reasons, p.query_id, p.query_text, p.tenant_id, p.query_class,
    null::varchar as asked_by, len(t.documents) as n, null::double as adds_traffic, []::struct(query_id varchar, query_text varchar)[] as similar,
    null::varchar as like_labelled, true as is_labelled, list_transform(p.documents, lambda l: {'document_id': l.document_id, 'gain': l.gain}) as labelled,
    t.documents
from tasks as t inner join unjudged_pairs as p using (query)
order by task;
