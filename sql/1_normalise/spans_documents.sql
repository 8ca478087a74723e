-- What a retrieval span says about its documents: macros from attributes (as `told`) and events to a list of documents.
-- Out:  struct(id varchar, score double, distance double, text varchar)[]; null = the span names no list; [] = it names an empty one
-- Edge: a list is structured or JSON in a text (also twice encoded), an array or an object that holds it under a known name
--       · an element that is a bare text has a text and no id · an integer id becomes its text
--       · ids: `id`, then document_id, doc_id, chunk_id, memory_id, node_id, then the same and doc_uri in `metadata`
create or replace macro first_known(found) as list_filter(found, lambda fk1: fk1 is not null and fk1[1] not in ('[', '{'))[1];
create or replace macro metadata_text(metadata, paths) as if(ltrim(metadata)[1] = '{' and json_valid(metadata), first_known(json_extract_string(metadata, paths)), null);
create or replace macro metadata_id(metadata) as metadata_text(metadata, ['$.id', '$.document_id', '$.doc_id', '$.doc_uri', '$.chunk_id', '$.memory_id', '$.node_id', '$._id']);
create or replace macro metadata_score(metadata) as try_cast(metadata_text(metadata, ['$.score', '$.relevance_score', '$.similarity', '$.rerank_score']) as double);

create or replace macro document_shape() as '{"id":"VARCHAR","document.id":"VARCHAR","document_id":"VARCHAR","doc_id":"VARCHAR","chunk_id":"VARCHAR","memory_id":"VARCHAR","node_id":"VARCHAR","id_":"VARCHAR","score":"DOUBLE","document.score":"DOUBLE","relevance_score":"DOUBLE","similarity":"DOUBLE","distance":"DOUBLE","metadata":"VARCHAR","document.metadata":"VARCHAR","content":"VARCHAR","text":"VARCHAR","page_content":"VARCHAR","document.content":"VARCHAR","memory":"VARCHAR"';
create or replace macro document_shapes() as '[' || document_shape() || ',"document":' || document_shape() || '},"node":' || document_shape() || '},"kwargs":' || document_shape() || '}}]';
-- (coalesce, not a list of all: an element that names its id at once costs one look)
create or replace macro plain(value) as if(value[1] in ('[', '{'), null, value);
create or replace macro own_id(d) as coalesce(plain(d.id), plain(d."document.id"), plain(d.document_id), plain(d.doc_id), plain(d.chunk_id), plain(d.memory_id), plain(d.node_id), plain(d.id_));
create or replace macro own_score(d) as coalesce(d.score, d."document.score", d.relevance_score, d.similarity);
create or replace macro own_text(d) as coalesce(d.content, d.text, d.page_content, d."document.content", d.memory);
create or replace macro own_metadata(d) as coalesce(d.metadata, d."document.metadata");
create or replace macro read_document(d, bare) as {
    'id': coalesce(own_id(d), own_id(d.document), own_id(d.node), own_id(d.kwargs), metadata_id(own_metadata(d)), metadata_id(own_metadata(d.document)), metadata_id(own_metadata(d.node)), metadata_id(own_metadata(d.kwargs))),
    'score': coalesce(own_score(d), own_score(d.document), own_score(d.node), metadata_score(own_metadata(d)), metadata_score(own_metadata(d.kwargs))),
    'distance': d.distance,
    'text': coalesce(own_text(d), own_text(d.document), own_text(d.node), own_text(d.kwargs), if(ltrim(bare)[1] = '{', null, bare)) };

-- the JSON array in a text: itself, in a text once more, or under a known name of an object
create or replace macro unpacked(value) as if(ltrim(value)[1] = '"', try(value::json ->> '$'), value);
create or replace macro array_text(value) as case ltrim(value)[1]
    when '[' then if(json_valid(value), value, null)
    when '{' then if(json_valid(value), list_filter(json_extract(value, ['$.documents', '$.results', '$.memories', '$.records', '$.matches', '$.nodes', '$.chunks', '$.items', '$.output', '$.retrieved_documents', '$.source_nodes']),
        lambda at1: json_type(at1) = 'ARRAY')[1]::varchar, null) end;
-- most lists name id, score and text at the top of each element: read so where no other place is named (a lambda's
-- expression is set up anew for each vector, so a short one is five times as fast)
create or replace macro has_parts(value) as contains(value, 'metadata"') or contains(value, '"document"') or contains(value, '"node"') or contains(value, '"kwargs"') or contains(value, '\u');
create or replace macro top_document(d, bare) as {'id': own_id(d), 'score': own_score(d), 'distance': d.distance, 'text': coalesce(own_text(d), if(ltrim(bare)[1] = '{', null, bare))};
create or replace macro top_documents(value) as json_transform(value, '[' || document_shape() || '}]');
create or replace macro are_objects(value) as list_distinct(json_type(value, '$[*]')) = ['OBJECT'];  -- else an element may be a bare text
create or replace macro documents_of_array(value) as case when value is null then null
    when has_parts(value) then list_transform(list_zip(json_transform(value, document_shapes()), json_transform(value, '["VARCHAR"]')), lambda dz1: read_document(dz1[1], dz1[2]))
    when are_objects(value) then list_transform(top_documents(value), lambda dz2: top_document(dz2, null))
    else list_transform(list_zip(top_documents(value), json_transform(value, '["VARCHAR"]')), lambda dz3: top_document(dz3[1], dz3[2])) end;
-- (each step in a list: a macro that names its value several times is planned as often)
create or replace macro json_documents(value) as list_transform(list_transform([unpacked(value)], lambda jd1: array_text(jd1)), lambda jd2: documents_of_array(jd2))[1];

-- OpenInference: <prefix>N.document.id, N sorts as a number
create or replace macro numbers_under(told, prefix) as list_sort(list_distinct(list_filter(list_transform(told.keys,
    lambda nu1: if(starts_with(nu1, prefix), try_cast(split_part(substr(nu1, length(prefix) + 1), '.', 1) as integer), null)), lambda nu2: nu2 is not null)));
create or replace macro numbered_documents(told, prefix) as if(len(numbers_under(told, prefix)) = 0, null, list_transform(numbers_under(told, prefix), lambda nd1: {
    'id': coalesce(told_at(told, prefix || nd1 || '.document.id'), metadata_id(told_at(told, prefix || nd1 || '.document.metadata'))),
    'score': try_cast(told_at(told, prefix || nd1 || '.document.score') as double), 'distance': null::double,
    'text': told_at(told, prefix || nd1 || '.document.content') }));

-- OpenLLMetry: one span event a result, in order; a distance is smaller for better. A search that was logged so and has none returned nothing
create or replace macro is_result(name) as name in ('db.query.result', 'db.search.result');
create or replace macro is_search(name) as coalesce(lower(name) in ('chroma.query', 'pinecone.query', 'milvus.search', 'milvus.hybrid_search'), false);
create or replace macro results_of(events) as list_filter(events, lambda ro1: is_result(ro1.name));
-- several queries in one span: which of them each result is for, null where there was one. Milvus numbers them; Chroma gives each as many results
create or replace macro asked_at_once(told) as try_cast(coalesce(told_at(told, 'db.chroma.query.texts_count'), told_at(told, 'db.chroma.query.embeddings_count')) as integer);
create or replace macro result_queries(told, events) as case
    when len(list_distinct(list_transform(results_of(events), lambda rq1: rq1.attributes['db.search.query.id']))) > 1
        then list_transform(results_of(events), lambda rq2: coalesce(try_cast(rq2.attributes['db.search.query.id'] as integer), -1))
    when asked_at_once(told) > 1 and len(results_of(events)) % asked_at_once(told) = 0
        then list_transform(range(len(results_of(events))), lambda rq3: (rq3 // (len(results_of(events)) // asked_at_once(told)))::integer) end;
create or replace macro event_documents(name, told, events) as case
    when len(results_of(events)) = 0 and not is_search(name) or coalesce(len(results_of(events)) % asked_at_once(told) > 0, false) then null
    else list_transform(results_of(events), lambda ed3: {
        'id': coalesce(ed3.attributes[ed3.name || '.id'], metadata_id(ed3.attributes[ed3.name || '.metadata'])), 'score': try_cast(ed3.attributes[ed3.name || '.score'] as double),
        'distance': try_cast(ed3.attributes[ed3.name || '.distance'] as double), 'text': ed3.attributes[ed3.name || '.document'] }) end;

-- whether a list can be scored: it names ids, or is empty
create or replace macro is_ranking(documents) as len(documents) = 0 or list_bool_or(list_transform(documents, lambda ir1: ir1.id is not null));
create or replace macro first_ranking(lists) as coalesce(list_filter(lists, lambda fr1: is_ranking(fr1))[1], list_filter(lists, lambda fr2: fr2 is not null)[1]);

-- the query in a text: plain, a JSON text, or an object with the query under a known name
create or replace macro query_of(value) as case ltrim(value)[1]
    when '{' then if(json_valid(value), coalesce(first_known(json_extract_string(value, ['$.query', '$.question', '$.input', '$.query_text', '$.query_str', '$.str_or_query_bundle', '$.text', '$.search_query', '$.query.query_str', '$.user_input', '$.inputs', '$.inputs.question', '$.inputs.query', '$.inputs.input', '$.kwargs.query', '$.kwargs.question', '$.args[0]'])), null), value)
    when '"' then coalesce(try(value::json ->> '$'), value) else value end;
