-- What a log says of the lists between its stages, as one text: attributes['candidates'] -> the lists, in the order of the stages.
-- Out:  stage_lists(text): struct(stage varchar, ids varchar[], scores double[])[]; null = none is logged, or it is no such text
--       funnel_lists(attributes, candidate_ids): the same, and the list before reranking as `candidates` where it is not the last of them
-- Edge: {"bm25": [ids], "fused": {"ids": [], "scores": []}} · [{"stage": "bm25", "ids": [], "scores": []}] · [ids], one stage named candidates
--       · an element is an id, or an object with its id and its score · an object of stages keeps the order in which it was written
create or replace macro stage_elements(value) as json_transform(value, '["JSON"]');
create or replace macro stage_ids(value) as list_transform(stage_elements(value), lambda se: id_of(se));
create or replace macro stage_scores(value) as list_transform(stage_elements(value), lambda sc: if(json_type(sc) = 'OBJECT', try_cast(sc ->> '$.score' as double), null));
create or replace macro stage_list(name, value) as {
    'stage': name,
    'ids': if(json_type(value) = 'OBJECT', stage_ids(json_extract(value, '$.ids')), stage_ids(value)),
    'scores': if(json_type(value) = 'OBJECT', json_transform(json_extract(value, '$.scores'), '["DOUBLE"]'), stage_scores(value)) };
create or replace macro stages_of(value) as case
    when json_type(value) = 'OBJECT' then list_transform(json_keys(value), lambda sk: stage_list(sk, json_extract(value, '/' || replace(replace(sk, '~', '~0'), '/', '~1'))))
    when json_type(value, '$[0].stage') = 'VARCHAR' then list_transform(stage_elements(value), lambda so: stage_list(so ->> '$.stage', so))
    when json_type(value) = 'ARRAY' then [stage_list('candidates', value)] end;
create or replace macro stage_lists(text) as if(json_valid(text), list_filter(stages_of(text::json), lambda sl: sl.ids is not null), null);
create or replace macro last_stage_ids(text) as stage_lists(text)[-1].ids;
create or replace macro with_candidates(lists, candidate_ids) as if(candidate_ids is null or lists[-1].ids = candidate_ids, lists,
    list_append(coalesce(lists, []), {'stage': 'candidates', 'ids': candidate_ids, 'scores': null::double[]}));
create or replace macro funnel_lists(attributes, candidate_ids) as with_candidates(stage_lists(attributes['candidates']), candidate_ids);
-- a value as the attribute's text: the lists, or the one value that something else of that name is
create or replace macro stage_text(value) as if(json_type(value) in ('OBJECT', 'ARRAY'), value::varchar, scalar_text(value));
