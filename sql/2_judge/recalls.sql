-- events_once x labelled_queries -> recalls: every event, with its query's label judged where there is one.
-- In:   events_once (contract.events), labelled_queries, opt_join(): query_id | query_text | both
-- Out:  all columns of events, and label_no, is_labelled, is_scorable, judged_ids (the list that is judged), judged,
--       answered (the logged answer and the right ones, where a metric of answers is asked for);
--       match_strategy: how relevance was told (null = by id, where nothing else was asked for, or not at all), exact_ranks: found by id or as the same text
-- Key:  the event's
-- Edge: query_class = the event's, else the label's · no label -> label_no and judged null, the row stays
--       · status error -> judged as an empty list: the consumer got nothing
--       · results without any id -> is_scorable false: in no quality mean, counted
--       · label of a tenant matches that tenant's events only
--       · opt_match() beyond ids: the first strategy that finds anything relevant judges the event; where none does, the first that can be
--         tried; none can -> is_scorable false. A rank that satisfies an expected text stands in judged_ids under that document's id
create or replace macro event_key(query_id, query_text) as case opt_join()
    when 'query_id' then query_id when 'query_text' then normal_text(query_text) else query_key(query_id, query_text) end;

create or replace table label_index as
with keys as (
    select label_no, tenant_id, case opt_join() when 'query_id' then query_id when 'query_text' then query_text else 'id:' || query_id end as join_key from labelled_queries
    union all  -- where an event has no query_id its text finds the query, if only one query has that text
    select any_value(label_no), tenant_id, 'text:' || query_text from labelled_queries where opt_join() = 'both' group by tenant_id, query_text having count(*) = 1
)
select join_key, k.tenant_id, label_no, label_of_event(q.label) as label, q.query_class, q.is_graded, q.expected, q.gold_answers
from keys as k inner join labelled_queries as q using (label_no)
where join_key is not null;

-- an answer is an attribute of the event, under the first of these names
create or replace macro logged_answer(attributes) as coalesce(attributes['answer'], attributes['generated_answer'], attributes['response'],
    attributes['actual_output'], attributes['prediction']);

create or replace macro checked_ranking(event_id, label_no, ranked_ids, scores) as
    ranking(if(opt_duplicates() = 'error', if(label_no is null, ranked_ids, refuse_repeats(event_id, ranked_ids)), ranked_ids), scores);

create or replace view recalls as
with matched as (
    select e.* exclude (query_class), coalesce(e.query_class, q.query_class) as query_class, q.label_no, q.label, q.is_graded, q.expected, q.gold_answers,
        if(some_null_id(), len(e.ranked_ids) = 0 or list_count(e.ranked_ids) > 0, true) as has_ids
    from events_once as e
    left join label_index as q
        on q.join_key = event_key(e.query_id, e.query_text)
        and q.tenant_id is not distinct from if(list_contains(opt_tenants(), e.tenant_id), e.tenant_id, null)
),
ranked as (  -- the list that is judged, made once an event: inside judge() it would be made anew for every label
    select *, if(some_error(), if(status = 'error', []::varchar[], checked_ranking(event_id, label_no, ranked_ids, scores)),
        checked_ranking(event_id, label_no, ranked_ids, scores)) as own_ids
    from matched
),
by_id as (select *, judge(own_ids, label) as judged_by_id from ranked),
-- from here to `told` nothing is computed where opt_match() is id alone: texts are not even read
texted as (
    select *, case when by_id_only() or expected is null then null when len(own_ids) = 0 then []::varchar[]
        when may_go_by_text(texts) and not (opt_match()[1] = 'id' and has_relevant(judged_by_id.hits)) then texts_at(positions(ranked_ids, scores), ranked_ids, texts) end as judged_texts
    from by_id
),
worded as (select *, if(by_id_only() or not needs_words(), null, list_transform(judged_texts, lambda t: split_words(t))) as words from texted),
shared as (select *, if(by_id_only() or not needs_words(), null, shared_tokens(words, expected)) as shared from worded),
sized as (select *, if(by_id_only() or not needs_words(), null, text_sizes(words, shared, expected)) as sizes from shared),
first as (select *, taken_by(1, false, expected, judged_texts, shared, sizes) as taken_1 from sized),
second as (select *, taken_by(2, satisfies(taken_1, expected), expected, judged_texts, shared, sizes) as taken_2 from first),
third as (select *, taken_by(3, satisfies(taken_1, expected) or satisfies(taken_2, expected), expected, judged_texts, shared, sizes) as taken_3 from second),
placed as (
    select *, case when by_id_only() or label_no is null then null when len(label.documents) = 0 then 1 else coalesce(
        place_found(can_go_by_id(has_ids, label, expected) and has_relevant(judged_by_id.hits),
            case when satisfies(taken_1, expected) then 1 when satisfies(taken_2, expected) then 2 when satisfies(taken_3, expected) then 3 end),
        place_tried(can_go_by_id(has_ids, label, expected), judged_texts is not null)) end as place
    from third
),
told as (
    select *, opt_match()[place] as match_strategy,
        case when by_id_only() or opt_match()[place] = 'id' or judged_texts is null then null when opt_match()[place] = text_strategy(1) then taken_1
            when opt_match()[place] = text_strategy(2) then taken_2 when opt_match()[place] = text_strategy(3) then taken_3 end as taken
    from placed
)
select * exclude (label, expected, gold_answers, has_ids, own_ids, judged_by_id, judged_texts, words, shared, sizes, taken_1, taken_2, taken_3, place, taken),
    label_no is not null as is_labelled, if(by_id_only() or label_no is null, has_ids, match_strategy is not null) as is_scorable,
    if(by_id_only() or taken is null, own_ids, list_transform(taken, lambda t: expected[t].document_id)) as judged_ids,
    if(by_id_only() or taken is null, judged_by_id, judge(list_transform(taken, lambda t: expected[t].document_id), label)) as judged,
    if(opt_answers(), {'answer': if(status = 'error', '', logged_answer(attributes)), 'gold_answers': gold_answers}, null) as answered,
    case when by_id_only() then null::bigint[] when match_strategy = 'id' then list_transform(judged_by_id.hits, lambda h: h.rank::bigint)
        when taken is not null then same_ranks(taken, judged_texts, expected) end as exact_ranks
from told;
