-- recalls -> asked_events, asked_queries, asked_documents: what was asked, how often, and which documents came that no label speaks of.
-- In:   recalls, opt_join(), opt_suggest_k(): depth looked at
-- Key:  asked_queries (tenant_id, asked_key), numbered by ask_no, the most asked first · asked_documents (ask_no, document_id)
-- Out:  n_slots = known documents in the first k over its events, n_unjudged = those without a label; early, late = the two halves of the
--       period (cut in the middle between first and last event); value_early, value_late = mean recall@k of a labelled query
-- Edge: an event without query_id and text has no key: counted, never suggested · labels that have no query_id join by text, and so do
--       those suggested here; labels by query_id leave room for others by text
--       · no timestamps -> all events are late, nothing moved · status error -> an empty list, as in every metric
create or replace macro asked_key(query_id, query_text) as if(opt_join() = 'query_text', normal_text(query_text), query_key(query_id, query_text));

create or replace table asked_span as
select min("timestamp") as first_at, max("timestamp") as last_at,
    make_timestamptz((epoch_us(min("timestamp")) + epoch_us(max("timestamp"))) // 2) as middle_at
from recalls;

create or replace view asked_events as
select e.tenant_id, asked_key(e.query_id, e.query_text) as asked_key, e.label_no, e.query_id, e.query_text, e.query_class, e.event_id, e."timestamp",
    coalesce(e."timestamp" < s.middle_at, false) as is_early, e.judged, e.ranked_ids, e.texts,
    counted(recall_at_k(e.judged, opt_suggest_k()), e.judged.n_relevant, e.is_scorable, e.status = 'error') as value,
    list_distinct(list_filter(e.judged_ids[1:opt_suggest_k()], lambda d: d is not null)) as top_ids, e.judged_ids
from recalls as e cross join asked_span as s;

create or replace table asked_queries as
with asked as (
    select tenant_id, asked_key, label_no, count(*)::bigint as n, count(*) filter (is_early)::bigint as n_early,
        min(query_id) as query_id, arg_min(normal_text(query_text), ("timestamp", event_id)) as query_text, min(query_class) as query_class,
        sum(len(top_ids))::bigint as n_slots,
        sum(len(top_ids) - coalesce(len(list_filter(judged.hits, lambda h: h.rank <= opt_suggest_k())), 0))::bigint as n_unjudged,
        exact_mean(if(is_early, value, null)) as value_early,
        exact_mean(if(is_early, null, value)) as value_late
    from asked_events where asked_key is not null
    group by tenant_id, asked_key, label_no
)
select row_number() over (order by n desc, tenant_id nulls first, asked_key)::integer as ask_no, * from asked order by ask_no;

create or replace table asked_documents as
select ask_no, d.document_id as document_id, count(*)::bigint as n, count(*) filter (is_early)::bigint as n_early, min(d.rank)::integer as best_rank, min(d.text) as text
from (
    select a.ask_no, e.is_early, unnest(list_transform(e.top_ids, lambda d:
        {'document_id': d, 'rank': list_position(e.judged_ids, d), 'text': e.texts[list_position(e.ranked_ids, d)]})) as d
    from asked_events as e inner join asked_queries as a on a.asked_key = e.asked_key and a.tenant_id is not distinct from e.tenant_id
)
group by all;
