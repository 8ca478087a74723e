-- events_once -> askings: one row per question, where several searches of a trace (--unit trace) or session (--unit session) answer one.
-- In:   events_once (contract.events), labelled_queries, unit_of(), opt_join()
-- Out:  the columns of events, as if one search had answered: ranked_ids, texts = the union of the searches' lists (as they are judged: order, repeats,
--       depth) by rounds: every search's first document, in the order of time, then every search's second; a document stands where it comes first
--       · total_ms, tokens, cost_usd: sums over the searches · status error: only where every search failed · all else: of the first search, but
--       the logged answer: of the last search that has one · scores, candidate_ids, stage_ms, top_k: null
--       searches: the searches in the order of time, how many brought nothing new (n_wasted), how many asked what one before had asked (n_repeated)
-- Key:  (tenant_id, variant, trace or session)
-- Edge: the question = attribute question_id, else the text of attribute root_input, question_text or question (of a trace: the root span's input) where a label
--       has it, else what the first search asked that has a query · no trace (session) id -> a question of its own
--       · times equal, or none -> by event_id · a failed search returned nothing · an unknown id is new
create or replace macro asked_id(attributes) as coalesce(attributes['question_id'], attributes['question.id']);
create or replace macro asked_text(attributes) as coalesce(attributes['root_input'], attributes['question_text'], attributes['question']);
create or replace macro first_known(values) as list_filter(values, lambda v: v is not null)[1];

create or replace view searches as
select tenant_id, variant, unit_of(trace_id, session_id, event_id, "timestamp") as unit, {
    'event_id': event_id, 'at': "timestamp", 'trace_id': trace_id, 'session_id': session_id, 'query_id': query_id, 'query_text': query_text, 'query_class': query_class,
    'index_version': index_version, 'operation': operation, 'data_source_id': data_source_id,
    'ids': if(status = 'error', []::varchar[], judged_list(refuse_repeats(event_id, ranked_ids), scores)),
    'texts': if(by_id_only(), null, if(status = 'error', []::varchar[], list_transform(positions(ranked_ids, scores), lambda p: texts[p]))),
    'ms': total_ms, 'input_tokens': input_tokens, 'output_tokens': output_tokens, 'cost_usd': cost_usd, 'status': status, 'error_type': error_type,
    'attributes': attributes, 'answer': logged_answer(attributes), 'query': coalesce(normal_text(query_text), query_id), 'source': source, 'source_line': source_line, 'flags': flags } as s
from events_once;

create or replace table askings as
with
units as (select tenant_id, variant, unit, list(s order by s.at nulls last, s.event_id) as s from searches group by all),
rounds as (
    select *, range(1, coalesce(list_max(list_transform(s, lambda x: len(x.ids))), 0) + 1) as ranks,
        first_known(list_transform(s, lambda x: asked_id(x.attributes))) as asked_id, first_known(list_transform(s, lambda x: asked_text(x.attributes))) as asked_text,
        coalesce(list_filter(s, lambda x: x.query is not null)[1], s[1]) as asked
    from units
),
united as (
    select *, flatten(list_transform(ranks, lambda r: list_transform(list_filter(s, lambda x: len(x.ids) >= r), lambda x: x.ids[r]))) as every_id,
        if(by_id_only(), null, flatten(list_transform(ranks, lambda r: list_transform(list_filter(s, lambda x: len(x.ids) >= r), lambda x: x.texts[r])))) as every_text,
        list_transform(s, lambda x: x.ids) as lists, list_transform(s, lambda x: x.query) as queries
    from rounds
),
firsts as (
    select *, list_filter(range(1, len(every_id) + 1), lambda r: every_id[r] is null or list_position(every_id, every_id[r]) = r) as places,
        list_transform(lists, lambda ids, i: list_filter(ids, lambda d: d is null or not coalesce(list_bool_or(list_transform(lists[1:i - 1], lambda l: list_contains(l, d))), false))) as news
    from united
)
select s[1].event_id as event_id, s[1].at as "timestamp", s[1].trace_id as trace_id, null::varchar as span_id,
    coalesce(asked_id, if(l.labelled_text is not null, null, asked.query_id)) as query_id,
    if(asked_text is not null and (asked_id is not null or l.labelled_text is not null), asked_text, asked.query_text) as query_text,
    s[1].query_class as query_class, u.tenant_id, s[1].session_id as session_id, u.variant, s[1].index_version as index_version, s[1].operation as operation,
    s[1].data_source_id as data_source_id, null::integer as top_k,
    list_transform(places, lambda p: every_id[p]) as ranked_ids, null::double[] as scores, null::varchar[] as candidate_ids,
    list_transform(places, lambda p: every_text[p]) as texts, null::map(varchar, double) as stage_ms,
    list_sum(list_transform(s, lambda x: x.ms)) as total_ms, list_sum(list_transform(s, lambda x: x.input_tokens))::bigint as input_tokens,
    list_sum(list_transform(s, lambda x: x.output_tokens))::bigint as output_tokens, list_sum(list_transform(s, lambda x: x.cost_usd)) as cost_usd, null::boolean as cache_hit,
    if(list_bool_and(list_transform(s, lambda x: x.status = 'error')), 'error', 'ok') as status, s[1].error_type as error_type,
    if(opt_answers(), map_concat(s[1].attributes, map(['answer'], [list_filter(s, lambda x: x.answer is not null)[-1].answer])), s[1].attributes) as attributes,
    s[1].source as source, s[1].source_line as source_line, s[1].flags as flags, {
        'unit': u.unit, 'n_wasted': len(list_filter(news, lambda n: len(n) = 0)), 'n_repeated': len(list_filter(queries, lambda q, i: list_position(queries, q) < i)),
        'list': list_transform(s, lambda x: {'ids': x.ids, 'at': x.at, 'ms': x.ms, 'tokens': x.input_tokens + coalesce(x.output_tokens, 0)}) } as searches
from firsts as u left join (select distinct query_text as labelled_text from labelled_queries where query_text is not null and opt_join() <> 'query_id') as l
    on l.labelled_text = normal_text(u.asked_text);
