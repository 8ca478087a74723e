-- What a flat log's list of results says where its elements lack the field `id`, `score` or `text`: macros from the list as JSON to ids, scores, texts.
-- In:   value: the JSON of a whole list, null or anything else where there is none
-- Edge: a map of id and score is a list of pairs, in the order of scores · a bare value is an id, a text with white space is a text and no id · a pair is (id, score), or (object, score) as LangChain's similarity_search_with_score · an element that names nothing is a null
--       · an object's own names come before those inside it: document, node, metadata · names_none(): whether a list has to be read by this rule
create or replace macro named_in(value, paths) as list_filter(json_extract_string(value, paths), lambda ni1: ni1 is not null and ni1[1] not in ('[', '{'))[1];
create or replace macro is_bare_text(value) as json_type(value) = 'VARCHAR' and regexp_matches(value ->> '$', '\s');
create or replace macro hit_of(value) as if(json_type(value) = 'ARRAY' and json_array_length(value) = 2 and json_type(value, '$[0]') = 'OBJECT' and is_number(json_extract(value, '$[1]')), json_extract(value, '$[0]'), value);
create or replace macro plain_listed_id(value) as case json_type(value) when 'ARRAY' then id_of(value) when 'OBJECT' then coalesce(id_of(value), named_in(value,
        ['$.node_id', '$.document.id', '$.document.doc_id', '$.node.id_', '$.node.node_id', '$.node.id', '$.metadata.id', '$.metadata.document_id', '$.metadata.doc_id',
         '$.metadata.chunk_id', '$.metadata.node_id', '$.metadata._id', '$.meta.id', '$.kwargs.id', '$.kwargs.metadata.id', '$.kwargs.metadata.doc_id']))
    else if(is_bare_text(value), null, value ->> '$') end;
create or replace macro listed_id(value) as plain_listed_id(hit_of(value));
create or replace macro listed_score(value) as case json_type(value) when 'ARRAY' then try_cast(value ->> '$[1]' as double)
    when 'OBJECT' then try_cast(named_in(value, ['$.score', '$.relevance_score', '$.similarity', '$._score', '$.metadata.score', '$.metadata.relevance_score']) as double) end;
create or replace macro plain_listed_text(value) as case when json_type(value) = 'OBJECT'
    then json_extract_string(value, ['$.text', '$.content', '$.page_content', '$.memory', '$.document.content', '$.document.text', '$.node.text', '$.kwargs.page_content']).list_filter(lambda lt1: lt1 is not null)[1]
    when is_bare_text(value) then value ->> '$' end;
create or replace macro listed_text(value) as plain_listed_text(hit_of(value));
create or replace macro elements_of(value) as case when json_type(value) = 'ARRAY'
    then by_rank(json_transform(value, '["JSON"]'), try_cast(json_extract_string(value, '$[*].rank') as double[]))
    when is_run(value) then list_transform(run_hits(value), lambda eo1: json_array(eo1.id, -eo1.score)) end;
create or replace macro listed_ids(value) as list_transform(elements_of(value), lambda li1: listed_id(li1));
create or replace macro listed_scores(value) as list_transform(elements_of(value), lambda ls1: listed_score(ls1));
create or replace macro listed_texts(value) as list_transform(elements_of(value), lambda lt1: listed_text(lt1));
create or replace macro names_none(values) as coalesce(list_count(values) = 0, true) and coalesce(len(values) > 0, true);
