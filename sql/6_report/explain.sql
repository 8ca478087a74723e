-- recalls, labelled_queries -> explained_*: why one query gets what it gets: each expected document, what stood in its place, windows, single recalls.
-- In:   recalls, label_periods, labelled_queries; 1_normalise/stage_lists.sql; explained_questions(question, name, of_tenant, tenant_id): query ids, query texts, event ids or trace ids;
--       explained_k(): the cutoff k; explained_split(): a moment (timestamptz), or null; explained_version(): the first index version of the after side, or null
--       explained_queries, explained_expected (explain_queries.sql); explained_keys(), the keys of explained_queries, and explained_has(ids), whether a list holds an expected document
-- Out:  explained_queries: the queries that each question names · explained_events: their recalls, oldest first, each on a side (all | before | after)
--       explained_misses: per recall and expected document where it stood, why it is not in the first k, and score_gap: the score of rank k less its own, of a
--       document that was not handed out: in the last list that holds it (held_by, held_rank), of the rank where that list was cut
--       explained_documents: the same summed per side · explained_ranks: by UTC day · explained_instead: what stands in the first k and is not expected
--       explained_windows: per UTC day · explained_stages: times per side · explained_recalls: the newest explained_recalls_shown() of each question
-- Key:  each with the question: (query, document_id) · (side, document_id) · (day, document_id) · day · (side, stage)
-- Edge: a text is compared as labels are joined: NFC, white space as one space · a query without a label has recalls, and no expected documents
--       · candidates are known only where they were logged: without them a document is `not returned`, and no stage is blamed
--       · "in no list", of a version or at all, looks at the lists and candidates of every query; a document that other queries still get is none of these
--       · an error is the reason for each of its documents
-- all that is read of the log, once: recalls of the queries, and of others that got an expected document
create or replace table explained_rows as
select event_id, trace_id, "timestamp", utc_day("timestamp") as day_utc, index_version, status, tenant_id, query_id, query_text, query_key(query_id, query_text) as query_key, label_no, label_from,
    if(is_own, ranked_ids, null) as ranked_ids, judged_ids, candidate_ids, if(is_own, scores, null) as scores, if(is_own, judged, null) as judged, is_scorable, total_ms, if(is_own, stage_ms, null) as stage_ms, if(is_own, funnel_lists(attributes, candidate_ids), null) as lists
from (select *, list_contains(explained_keys(), query_key(query_id, query_text)) as is_own from recalls) where is_own or explained_has(judged_ids) or explained_has(candidate_ids);

create or replace table explained_events as
select q.question, r.* exclude (query_key), coalesce(r.event_id = q.name or r.trace_id = lower(q.name), false) as is_named,
    case when explained_split() is not null then if(r."timestamp" < explained_split(), 'before', 'after')
        when explained_version() is not null then if(r."timestamp" < (select min(v."timestamp") from recalls as v where v.index_version = explained_version()), 'before', 'after')
        else 'all' end as side
from explained_rows as r inner join explained_queries as q on q.query_key = r.query_key and q.tenant_id is not distinct from r.tenant_id and q.label_no is not distinct from r.label_no;

-- when any query last got the document, in a list or among the candidates
create or replace table explained_shown as
with shown as (select "timestamp", index_version, query_key, unnest(list_concat(coalesce(judged_ids, []), coalesce(candidate_ids, []))) as document_id from explained_rows)
select document_id, index_version, query_key, min("timestamp") as first_seen_at, max("timestamp") as last_seen_at from shown
where document_id in (select document_id from explained_expected) group by all;

create or replace table explained_seen as
select document_id, min(first_seen_at) as first_seen_at, max(last_seen_at) as last_seen_at, count(distinct query_key) as n_queries from explained_shown group by all;

create or replace table explained_misses as
with places as (
    select e.question, e.event_id, e.side, e."timestamp", e.index_version, e.status, e.candidate_ids, len(e.judged_ids) as length, x.document_id,
        list_position(e.judged_ids, x.document_id) as rank, list_position(e.candidate_ids, x.document_id) as candidate_rank,
        list_filter(e.lists, lambda l: list_contains(l.ids, x.document_id))[-1] as held, e.lists[-1].stage as last_list,
        e.scores[least(explained_k(), len(e.ranked_ids))] - e.scores[list_position(e.ranked_ids, x.document_id)] as own_gap
    from explained_events as e inner join explained_expected as x using (label_no, label_from) where e.is_scorable
)
select p.* exclude (status, candidate_ids, length, own_gap, held, last_list), held.stage as held_by, list_position(held.ids, p.document_id) as held_rank,
    if(rank is null, held.scores[least(length, len(held.ids))] - held.scores[list_position(held.ids, p.document_id)], if(rank > explained_k(), own_gap, null)) as score_gap,
    case
        when rank <= explained_k() then 'returned'
        when status = 'error' then 'the recall failed'
        when rank is not null then 'deeper than k'
        when held is not null and held.stage <> last_list then 'dropped between stages'
        when candidate_rank > length then 'candidate, cut'
        when candidate_rank is not null then 'candidate, reranked out'
        when s.document_id is null then 'in no list'
        when p."timestamp" > s.last_seen_at then 'in no list since'
        when p."timestamp" < s.first_seen_at then 'in no list yet'
        when p.index_version is not null and v.document_id is null then 'in no list of the version'
        when candidate_ids is not null then 'no candidate'
        else 'not returned' end as reason
from places as p left join explained_seen as s on s.document_id = p.document_id
left join (select distinct document_id, index_version from explained_shown) as v on v.document_id = p.document_id and v.index_version = p.index_version;

create or replace table explained_documents as
with reasons as (select question, side, document_id, reason, count(*) as n, max(held_by) as held_by, list(distinct index_version order by index_version) filter (index_version is not null) as versions from explained_misses group by all),
main as (  -- the reason of most misses; of equal ones the first by name
    select question, side, document_id, arg_max(reason, (n, reason)) as reason, max(n) as n_reason, arg_max(held_by, (n, reason)) as held_by, arg_max(versions, (n, reason)) as versions from reasons where reason <> 'returned' group by all
)
select m.question, m.side, m.document_id, count(*)::bigint as n, count(*) filter (m.reason = 'returned') as n_returned, min(m.rank)::integer as best_rank,
    median(m.rank)::double as median_rank, min(m.candidate_rank)::integer as best_candidate_rank, median(m.score_gap)::double as median_score_gap, any_value(r.reason) as reason, coalesce(any_value(r.n_reason), 0)::bigint as n_reason,
    any_value(r.versions) as versions, any_value(r.held_by) as held_by, max(m."timestamp") filter (m.reason = 'returned') as last_returned_at, any_value(s.first_seen_at) as first_seen_at, any_value(s.last_seen_at) as last_seen_at, coalesce(any_value(s.n_queries), 0)::bigint as n_queries_shown
from explained_misses as m left join main as r on r.question = m.question and r.side = m.side and r.document_id = m.document_id left join explained_seen as s on s.document_id = m.document_id
group by m.question, m.side, m.document_id order by m.question, m.side desc, m.document_id;

create or replace table explained_ranks as
select question, utc_day("timestamp") as day_utc, document_id, count(*)::bigint as n, count(*) filter (reason = 'returned') as n_returned, median(rank)::double as median_rank
from explained_misses group by all order by question, day_utc, document_id;

create or replace table explained_instead as
with shown as (
    select question, side, label_no, unnest(judged_ids[1:explained_k()]) as document_id, generate_subscripts(judged_ids[1:explained_k()], 1) as rank
    from explained_events where is_scorable
),
counted as (select question, side, document_id, count(*)::bigint as n, min(rank)::integer as best_rank, median(rank)::double as median_rank, any_value(label_no) as label_no from shown where document_id is not null group by all)
select c.question, c.side, c.document_id, c.n, c.n / (select count(*) from explained_events as e where e.question = c.question and e.side = c.side and e.is_scorable) as share, c.best_rank, c.median_rank,
    coalesce(list_contains(list_transform(q.label.documents, lambda d: d.document_id), c.document_id), false) as is_judged
from counted as c left join labelled_queries as q using (label_no)
where not exists (select 1 from explained_expected as x where x.document_id = c.document_id and x.label_no = c.label_no)
order by c.question, c.side desc, c.n desc, c.median_rank, c.document_id;

create or replace table explained_windows as
select question, day_utc, count(*)::bigint as n, count(*) filter (status = 'error') as n_errors, count(*) filter (len(judged_ids) = 0) as n_empty,
    exact_mean(recall_at_k(judged, explained_k()::integer)) as recall, exact_mean(mrr_at_k(judged, null::integer)) as mrr,
    percentile_disc(0.5) within group (order by total_ms) as p50_ms, list(distinct index_version order by index_version) filter (index_version is not null) as index_versions
from explained_events where is_scorable group by all order by question, day_utc;

create or replace table explained_sides as
select question, side, count(*)::bigint as n, exact_mean(recall_at_k(judged, explained_k()::integer)) as recall, exact_mean(mrr_at_k(judged, null::integer)) as mrr,
    count(*) filter (status = 'error') as n_errors, min("timestamp") as first_at, max("timestamp") as last_at
from explained_events where is_scorable group by all order by question, side desc;

create or replace table explained_stages as
with times as (
    select question, side, 'total' as stage, total_ms as ms from explained_events
    union all select question, side, e.key, e.value from (select question, side, unnest(map_entries(stage_ms)) as e from explained_events)
)
select question, side, stage, count(ms)::bigint as n, percentile_disc(0.5) within group (order by ms) as p50_ms, percentile_disc(0.95) within group (order by ms) as p95_ms, max(ms) as max_ms
from times where ms is not null group by question, side, stage order by question, if(stage = 'total', '', stage), side desc;

create or replace table explained_recalls as
select e.question, e.event_id, e.trace_id, e."timestamp", e.index_version, e.status, e.total_ms, e.is_named, e.judged_ids as ranked_ids,
    (select list({'document_id': m.document_id, 'rank': m.rank, 'candidate_rank': m.candidate_rank, 'score_gap': m.score_gap, 'held_by': m.held_by, 'held_rank': m.held_rank, 'reason': m.reason} order by m.document_id)
        from explained_misses as m where m.question = e.question and m.event_id = e.event_id and m."timestamp" is not distinct from e."timestamp") as expected
from explained_events as e qualify row_number() over (partition by e.question order by e.is_named desc, e."timestamp" desc, e.event_id) <= explained_recalls_shown()
order by e.question, e.is_named desc, e."timestamp" desc, e.event_id;
