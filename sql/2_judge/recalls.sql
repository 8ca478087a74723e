-- askings x label_periods -> recalls: every event (or question: askings.sql, questions.sql), with its query's label as it was at the event's time judged where there is one.
-- In:   askings (contract.events, searches), label_periods, labelled_queries, opt_join(): query_id | query_text | both
-- Out:  all columns of events, and label_no, label_from (start of its label's period), is_labelled, is_scorable, judged_ids (the list that is judged), judged,
--       answered (the logged answer and the right ones, where a metric of answers is asked for);
--       unit and searched (of a question of several searches: which, and what its searches brought); dated (what stands at the ranks whose document was right once and is not now); match_strategy, exact_ranks: null here
-- Key:  the event's
-- Edge: query_class = the event's, else the label's · no label -> label_no and judged null, the row stays
--       · status error -> judged as an empty list: the consumer got nothing
--       · results without any id -> is_scorable false: in no quality mean, counted
--       · no row of the label holds at the event's time, or the label changes over time and the event has no time -> judged null: in no mean
--       · a text that several labelled queries share tells of no event without query_id which is meant: label_no null, counted (shared_texts.sql)
--       · an event whose query_id no label has is found by its text where a label has no query_id (texts_alone.sql)
--       · label of a tenant matches that tenant's events only · a label without tenant those of every tenant that has none of its own for the query
-- Where opt_match() names more than ids, 2_judge/recalls_by_text.sql makes the view anew.
create or replace macro event_key(query_id, query_text) as case opt_join()
    when 'query_id' then query_id when 'query_text' then normal_text(query_text)
    else if(is_labelled_id(query_id), query_key(query_id, query_text), coalesce('alone:' || normal_text(query_text), 'id:' || query_id)) end;

create or replace table label_index as
with
tenants as (select distinct tenant_id from labelled_queries where tenant_id is not null),
held as (  -- whose events a label holds for: its tenant's; without tenant everybody's but those of tenants that label the query themselves
    select label_no, tenant_id, query_id, query_text from labelled_queries
    union all
    select q.label_no, t.tenant_id, q.query_id, q.query_text from labelled_queries as q cross join tenants as t
    where q.tenant_id is null and not exists (select 1 from labelled_queries as o where o.query_key = q.query_key and o.tenant_id = t.tenant_id)
),
keys as (
    select label_no, tenant_id, if(opt_join() = 'query_id', query_id, 'id:' || query_id) as join_key from held where opt_join() <> 'query_text'
    union all  -- where an event has no query_id its text finds the query; no query (label_no null) where several have that text
    select if(count(*) = 1, any_value(label_no), null), tenant_id, if(opt_join() = 'both', 'text:', '') || query_text from held where opt_join() <> 'query_id' group by tenant_id, query_text
    union all  -- where no label has an event's query_id its text finds a label that has no id (texts_alone.sql)
    select label_no, tenant_id, 'alone:' || query_text from held where opt_join() = 'both' and query_id is null
)
select join_key, k.tenant_id, label_no, q.label_from, q.label_until, label_of_event(q.label) as label, q.query_class, q.is_graded, q.gold_answers, q.expired,
    if(by_question(), list_transform(list_filter(q.label.documents, lambda d: d.is_relevant), lambda d: d.document_id), null) as right_ids, q.hops
from keys as k left join label_periods as q using (label_no)
where join_key is not null;

-- where a moment stands among the periods of labels
create or replace macro label_moment(moment) as if(some_dated_label(), coalesce(moment, 'infinity'::timestamptz), 'infinity'::timestamptz);

create or replace macro checked_ids(event_id, label_no, ranked_ids) as
    if(opt_duplicates() = 'error', if(label_no is null, ranked_ids, refuse_repeats(event_id, ranked_ids)), ranked_ids);

create or replace view recalls as
with matched as (
    select e.* exclude (query_class, join_key), coalesce(e.query_class, q.query_class) as query_class, q.label_no, q.label_from, q.label, q.is_graded, q.gold_answers, q.expired, q.right_ids, q.hops,
        if(some_null_id(), len(e.ranked_ids) = 0 or list_count(e.ranked_ids) > 0, true) as is_scorable
    from (select *, event_key(query_id, query_text) as join_key from askings) as e
    left join label_index as q
        on q.join_key = e.join_key and label_moment(e."timestamp") >= q.label_from and label_moment(e."timestamp") <= q.label_until
        and q.tenant_id is not distinct from if(list_contains(opt_tenants(), e.tenant_id), e.tenant_id, null)
),
given as (  -- a column for each step: the next one names its list many times, and each would carry the whole
    select *, if(some_error(), if(status = 'error', []::varchar[], checked_ids(event_id, label_no, ranked_ids)), checked_ids(event_id, label_no, ranked_ids)) as given_ids
    from matched
),
ordered as (select * exclude (given_ids), if(by_question(), given_ids, in_order(given_ids, scores)) as ordered_ids from given),
once as (select * exclude (ordered_ids), if(by_question(), ordered_ids, without_repeats(ordered_ids)) as once_ids from ordered),
ranked as (  -- the list that is judged, judged_list(given_ids, scores), made once an event: inside judge() it would be made anew for every label
    select * exclude (once_ids), if(by_question(), once_ids, to_depth(once_ids)) as judged_ids from once
)
select * exclude (label, gold_answers, expired, right_ids, hops, searches), label_no is not null as is_labelled, judge(judged_ids, label) as judged,
    null::varchar as match_strategy, null::bigint[] as exact_ranks,
    if(opt_answers(), {'answer': if(status = 'error', '', logged_answer(attributes)), 'gold_answers': gold_answers}, null) as answered,
    if(opt_dated(), judge_dated(judged_ids, expired), null) as dated,
    searches.unit as unit, if(by_question(), judge_searches(searches, judged_ids, right_ids, hops), null) as searched
from ranked;
