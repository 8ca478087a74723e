-- Macros: a JSON document of labels -> its records, one a query, in the names labels.py reads.
-- In:   label_lists(): names of a list of labels; label_names(): every name of a label's column
-- Edge: an object none of whose keys names a column, and whose values are all objects or all lists: query id -> its label
--       · LlamaIndex: queries and relevant_docs, both by query id; a query without relevant_docs has no label
create or replace macro list_of_labels(text) as list_filter(label_lists(), lambda ll1: json_type(text, '$.' || ll1) = 'ARRAY' and coalesce(json_type(text, '$.' || ll1 || '[0]'), 'OBJECT') = 'OBJECT')[1];
create or replace macro is_llama_index(text) as json_type(text, '$.queries') = 'OBJECT' and json_type(text, '$.relevant_docs') = 'OBJECT';
create or replace macro is_by_query(text) as len(json_keys(text)) > 0 and not list_has_any(json_keys(text), label_names())
    and (list_bool_and(list_transform(json_extract(text, '$.*'), lambda bq1: json_type(bq1) = 'OBJECT')) or list_bool_and(list_transform(json_extract(text, '$.*'), lambda bq2: json_type(bq2) = 'ARRAY')));
-- Elasticsearch's _rank_eval: {"requests": [{"id": …, "request": …, "ratings": [{"_id": …, "rating": …}]}]}
create or replace macro is_rated_request(value) as coalesce(json_type(value, '$.ratings') = 'ARRAY' and json_exists(value, '$.id') and json_exists(value, '$.request'), false);
-- An example of a data set: what it asks and what is right in objects of their own
create or replace macro object_at(text, names) as list_filter(list_transform(names, lambda oa1: json_extract(text, '$.' || oa1)), lambda oa2: json_type(oa2) = 'OBJECT')[1];
create or replace macro asked_in(text) as object_at(text, ['inputs', 'input']);
create or replace macro right_in(text) as object_at(text, ['outputs', 'output', 'expectedOutput', 'expected_output', 'reference_outputs', 'expected', 'expectations']);
create or replace macro is_label_example(text) as if(contains(text, '"input'), asked_in(text) is not null and right_in(text) is not null, false);
create or replace macro example_record(text) as json_merge_patch(coalesce(object_at(text, ['metadata']), '{}'::json), asked_in(text), right_in(text))::varchar;
create or replace macro is_label_document(text) as coalesce(is_llama_index(text) or (list_of_labels(text) is not null and not list_has_any(json_keys(text), label_names())) or is_by_query(text), false);
create or replace macro label_records(text) as case
    when is_llama_index(text) then list_transform(entries_in(text -> '$.relevant_docs'), lambda lr1: json_object(
        'query_id', lr1.key, 'query_text', json_transform(text, '{"queries":"MAP(VARCHAR, VARCHAR)"}').queries[lr1.key], 'relevant', lr1.value::json)::varchar)
    when list_of_labels(text) is not null then list_transform(json_transform(json_extract(text, '$.' || list_of_labels(text)), '["JSON"]'), lambda lr2: if(is_rated_request(lr2),
        json_object('query_id', lr2 ->> '$.id', 'relevant', lr2 -> '$.ratings')::varchar, lr2::varchar))
    else list_transform(entries_in(text), lambda lr3: json_object('query_id', lr3.key, 'relevant', lr3.value::json)::varchar) end;

-- Events of OpenSearch User Behavior Insights (ubi_events): a click is a label of kind `click`, of the query's text, since a query id there is one search
-- Edge: other events (impressions, carts) are no labels, and are counted · an event without the query's text or the clicked object's id is none either
create or replace macro is_ubi_event(text) as coalesce(json_exists(text, '$.action_name') and json_exists(text, '$.event_attributes'), false);
create or replace macro ubi_click(text) as json_object('query_text', text ->> '$.user_query',
    'document_id', coalesce(text ->> '$.event_attributes.object.object_id', text ->> '$.event_attributes.object.internal_id'), 'kind', 'click')::varchar;
create or replace macro is_ubi_click(text) as coalesce(lower(text ->> '$.action_name') in ('click', 'item_click', 'product_click', 'result_click'), false)
    and (ubi_click(text) ->> '$.document_id') is not null and coalesce(text ->> '$.user_query', '') <> '';

-- A task of Label Studio (JSON): what `data` says of a query and a document, a record for each annotation, with its answer as `relevance`
-- Edge: an annotation without an answer is not judged; one that was cancelled, or a task without any, is no label, and counted
create or replace macro is_studio_task(text) as if(contains(text, '"annotations"'), coalesce(json_type(text, '$.data') = 'OBJECT' and json_type(text, '$.annotations') = 'ARRAY', false), false);
create or replace macro studio_annotations(text) as list_filter(json_transform(json_extract(text, '$.annotations'), '["JSON"]'), lambda sa1: coalesce(sa1 ->> '$.was_cancelled', 'false') <> 'true');
create or replace macro studio_answers(annotation) as flatten(list_transform(
    list_filter(json_transform(json_extract(annotation, '$.result'), '["JSON"]'), lambda ss1: (ss1 ->> '$.type') in ('choices', 'rating', 'number')),
    lambda ss2: coalesce(json_transform(json_extract(ss2, '$.value.choices'), '["VARCHAR"]'), [coalesce(ss2 ->> '$.value.rating', ss2 ->> '$.value.number')])));
create or replace macro studio_records(text) as list_transform(studio_annotations(text), lambda sr1: json_merge_patch(json_extract(text, '$.data'), json_object(
    'relevance', coalesce(studio_answers(sr1)[1], ''), 'judged_by', coalesce(sr1 ->> '$.completed_by.email', sr1 ->> '$.completed_by.id', scalar_text(json_extract(sr1, '$.completed_by')))))::varchar);
create or replace macro has_two_answers(text) as coalesce(list_bool_or(list_transform(studio_annotations(text), lambda st1: len(studio_answers(st1)) > 1)), false);
