-- recalls -> recalls, where opt_match() names more than ids: every event, judged by the first strategy that finds anything.
-- In:   recalls of 2_judge/recalls.sql, which becomes recalls_by_id; label_periods; macros of 2_judge/match.sql and tokens.sql
-- Out:  as in 2_judge/recalls.sql, and match_strategy (null = not labelled, or none could be tried), exact_ranks (found by id, or as the same text)
-- Key:  the event's
-- Edge: the first strategy that finds anything relevant judges the event; where none does, the first that can be tried; none can ->
--       is_scorable false · a rank that satisfies an expected text stands in judged_ids under that document's id, one that satisfies
--       none is null · a label without documents (nothing is right) is judged by the first strategy named
create or replace table expected_texts as
select label_no, label_from, label, list_transform(texts, lambda t: expected_text(t.document_id, t.is_relevant, t.text)) as expected from label_periods;

drop view if exists recalls_by_id;
alter view recalls rename to recalls_by_id;

create or replace view recalls as
with
by_id as (
    select * exclude (judged, judged_ids, is_scorable, match_strategy, exact_ranks, searched), searched as searched_by_id, is_scorable as has_ids, judged_ids as own_ids, judged as judged_by_id
    from recalls_by_id left join expected_texts using (label_no, label_from)
),
texted as (
    select *, case when expected is null then null when len(own_ids) = 0 then []::varchar[]
        when may_go_by_text(texts) and not (opt_match()[1] = 'id' and has_relevant(judged_by_id.hits)) then texts_in_order(texts, ranked_ids, scores, len(own_ids)) end as own_texts
    from by_id
),
once as (select *, texts_once(own_texts, own_ids) as judged_texts from texted),
worded as (select *, if(not needs_words(), null, words_in(judged_texts)) as words from once),
shared as (select *, if(not needs_words(), null, shared_tokens(words, expected)) as shared from worded),
sized as (select *, if(not needs_words(), null, text_sizes(words, shared, expected)) as sizes from shared),
first as (select *, taken_by(1, false, expected, judged_texts, shared, sizes) as taken_1 from sized),
second as (select *, taken_by(2, satisfies(taken_1, expected), expected, judged_texts, shared, sizes) as taken_2 from first),
third as (select *, taken_by(3, satisfies(taken_1, expected) or satisfies(taken_2, expected), expected, judged_texts, shared, sizes) as taken_3 from second),
placed as (
    select *, case when label_no is null then null when label is null or len(label.documents) = 0 then 1 else coalesce(
        place_found(can_go_by_id(has_ids, label, expected) and has_relevant(judged_by_id.hits),
            case when satisfies(taken_1, expected) then 1 when satisfies(taken_2, expected) then 2 when satisfies(taken_3, expected) then 3 end),
        place_tried(can_go_by_id(has_ids, label, expected), judged_texts is not null)) end as place
    from third
),
told as (
    select *, opt_match()[place] as match_strategy,
        case when opt_match()[place] = 'id' or judged_texts is null then null when opt_match()[place] = text_strategy(1) then taken_1
            when opt_match()[place] = text_strategy(2) then taken_2 when opt_match()[place] = text_strategy(3) then taken_3 end as taken
    from placed
)
select * exclude (label, expected, has_ids, own_ids, judged_by_id, own_texts, judged_texts, words, shared, sizes, taken_1, taken_2, taken_3, place, taken, searched_by_id),
    if(label_no is null, has_ids, match_strategy is not null) as is_scorable,
    if(taken is null, own_ids, list_transform(taken, lambda t: expected[t].document_id)) as judged_ids,
    if(taken is null, judged_by_id, judge(list_transform(taken, lambda t: expected[t].document_id), label)) as judged,
    if(taken is null or not by_question(), searched_by_id, judge_searches(searched_by_id, list_transform(taken, lambda t: expected[t].document_id),
        list_transform(list_filter(label.documents, lambda d: d.is_relevant), lambda d: d.document_id), searched_by_id.hops)) as searched,
    case when match_strategy = 'id' then list_transform(judged_by_id.hits, lambda h: h.rank::bigint)
        when taken is not null then same_ranks(taken, judged_texts, expected) end as exact_ranks
from told;
