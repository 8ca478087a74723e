-- events_once -> askings: one row per question, where several searches of a trace (--unit trace) or session (--unit session) answer one.
-- In:   events_once (contract.events), labelled_queries, unit_of(), opt_join()
-- Out:  the columns of events, as if one search had answered: ranked_ids, texts = the union of the searches' lists (as they are judged: order, repeats,
--       depth) by rounds: every search's first document, in the order of time, then every search's second; a document stands where it comes first
--       · total_ms, tokens, cost_usd: sums over the searches · status error: only where every search failed · all else: of the first search, but
--       the logged answer: of the last search that has one · scores, candidate_ids, stage_ms, top_k: null
--       searches: how many brought nothing new (n_wasted), how many asked what one before had asked (n_repeated); for each document of the union which
--       search brought it first (brought); the searches in the order of time (list)
-- Key:  (tenant_id, variant, trace or session)
-- Edge: the question = attribute question_id, else the text of attribute root_input, question_text or question (of a trace: the root span's input) where a label
--       has it, else what the first search asked that has a query · no trace (session) id -> a question of its own
--       · times equal, or none -> by event_id · a failed search returned nothing · an unknown id is new
-- What a question needs of each search is put together; of all else only the first search's is held (arg_min), for a log's columns may be wide.
create or replace macro asked_id(attributes) as coalesce(attributes['question_id'], attributes['question.id']);
create or replace macro asked_text(attributes) as coalesce(attributes['root_input'], attributes['question_text'], attributes['question']);
create or replace macro first_known(values) as list_filter(values, lambda v: v is not null)[1];

create or replace view searches as
select tenant_id, variant, unit_of(trace_id, session_id, event_id, "timestamp") as unit, input_tokens, output_tokens, status, {
    'at': "timestamp", 'event_id': event_id, 'query_id': query_id, 'query_text': query_text, 'asked_id': asked_id(attributes), 'asked_text': asked_text(attributes),
    'answer': if(opt_answers(), logged_answer(attributes), null), 'ms': total_ms, 'tokens': input_tokens + coalesce(output_tokens, 0), 'cost_usd': cost_usd,
    'ids': if(status = 'error', []::varchar[], judged_list(refuse_repeats(event_id, ranked_ids), scores)),
    'texts': if(by_id_only(), null, if(status = 'error', []::varchar[], list_transform(positions(ranked_ids, scores), lambda p: texts[p]))) } as s, {
    'trace_id': trace_id, 'session_id': session_id, 'query_class': query_class, 'index_version': index_version, 'operation': operation,
    'data_source_id': data_source_id, 'error_type': error_type, 'attributes': attributes, 'source': source, 'source_line': source_line, 'flags': flags } as whole
from events_once;

-- the ids or texts of some lists by rounds; and the lists with their number in place of each element
create or replace macro by_rounds(lists) as flatten(list_transform(range(1, coalesce(list_max(list_transform(lists, lambda l: len(l))), 0) + 1),
    lambda r: list_transform(list_filter(lists, lambda l: len(l) >= r), lambda l: l[r])));
create or replace macro list_numbers(lists) as list_transform(lists, lambda l, i: list_transform(l, lambda x: i));

create or replace table askings as
with
units as (
    select tenant_id, variant, unit, list_sort(list(s)) as s, arg_min(whole, {'at': s."at", 'event_id': s.event_id}) as first, sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens, if(bool_and(status = 'error'), 'error', 'ok') as status
    from searches group by tenant_id, variant, unit
),
told as (
    select * exclude (s), s[1].event_id as event_id, s[1]."at" as "at", list_transform(s, lambda x: x.ids) as lists,
        if(by_id_only(), null, by_rounds(list_transform(s, lambda x: x.texts))) as every_text, list_transform(s, lambda x: coalesce(normal_text(x.query_text), x.query_id)) as queries,
        first_known(list_transform(s, lambda x: x.asked_id)) as asked_id, first_known(list_transform(s, lambda x: x.asked_text)) as asked_text,
        coalesce(list_filter(list_transform(s, lambda x: {'query_id': x.query_id, 'query_text': x.query_text}), lambda x: x.query_id is not null or normal_text(x.query_text) is not null)[1],
            {'query_id': s[1].query_id, 'query_text': s[1].query_text}) as asked,
        list_sum(list_transform(s, lambda x: x.ms)) as total_ms, list_sum(list_transform(s, lambda x: x.cost_usd)) as cost_usd,
        list_filter(list_transform(s, lambda x: x.answer), lambda a: a is not null)[-1] as answer,
        list_transform(s, lambda x: {'at': x."at", 'ms': x.ms, 'tokens': x.tokens}) as searches
    from units
),
united as (  -- an unknown id (null) is brought by the search it stands in
    select * exclude (lists), by_rounds(lists) as every_id, flatten(lists) as each_id, flatten(list_numbers(lists)) as each_no,
        if(list_count(each_id) = len(each_id), null, by_rounds(list_numbers(lists))) as every_no
    from told
),
ranked as (
    select *, list_filter(every_id, lambda d, r: d is null or list_position(every_id, d) = r) as ranked_ids,
        if(every_no is null, null, list_filter(every_no, lambda n, r: every_id[r] is null or list_position(every_id, every_id[r]) = r)) as ranked_no,
        if(by_id_only(), null, list_filter(every_text, lambda t, r: every_id[r] is null or list_position(every_id, every_id[r]) = r)) as texts
    from united
),
brought as (select *, list_transform(ranked_ids, lambda d, r: if(d is null, ranked_no[r], each_no[list_position(each_id, d)])) as brought from ranked)
select u.event_id, u."at" as "timestamp", u.first.trace_id, null::varchar as span_id,
    coalesce(u.asked_id, if(l.labelled_text is not null, null, u.asked.query_id)) as query_id,
    if(u.asked_text is not null and (u.asked_id is not null or l.labelled_text is not null), u.asked_text, u.asked.query_text) as query_text,
    u.first.query_class, u.tenant_id, u.first.session_id, u.variant, u.first.index_version, u.first.operation, u.first.data_source_id, null::integer as top_k,
    u.ranked_ids, null::double[] as scores, null::varchar[] as candidate_ids, u.texts, null::map(varchar, double) as stage_ms,
    u.total_ms, u.input_tokens, u.output_tokens, u.cost_usd, null::boolean as cache_hit, u.status, u.first.error_type,
    if(opt_answers(), map_concat(u.first.attributes, map(['answer'], [u.answer])), u.first.attributes) as attributes, u.first.source, u.first.source_line, u.first.flags, {
        'unit': u.unit, 'n_wasted': len(u.searches) - list_unique(u.brought),
        'n_repeated': len(list_filter(u.queries, lambda q, i: list_position(u.queries, q) < i)), 'brought': u.brought, 'list': u.searches } as searches
from brought as u
left join (select distinct query_text as labelled_text from labelled_queries where query_text is not null and opt_join() <> 'query_id') as l
    on l.labelled_text = normal_text(u.asked_text);
