-- raw_labels -> labels (contract.labels), one row per judged document; unjudged_labels: rows whose grade is there and empty.
-- In:   raw_labels: query_id, query_text, tenant_id, document_id, grade, is_relevant varchar (as written); has_grade, has_relevance boolean: whether
--       the row has such a column; relevant json (a list of ids, or an object id -> grade) or null; grades json (object id -> grade) or null;
--       expected_texts json (a text, a list of texts, or an object id -> text) or null; gold_answers json (a text or a list) or null;
--       query_class, kind, judge, judged_at, judged_by, inclusion_probability, valid_from, valid_to, hop varchar; pool json (a text or a list); is_list boolean; file varchar,
--       line bigint
-- Edge: relevant [] or {} -> one row without document: the right answer is to return nothing
--       · relevant and grades apart: relevance comes from the list, the gain from the grades (CodeMem)
--       · no grade column -> grade null, which counts as 1 · grade and relevance there but empty -> not judged: no row in labels
--       · an id twice in one object -> two rows: 2_judge/labels.sql merges those that agree
--       · relevant and expected_texts both lists: they run along, one text an id · texts alone: each is a document of its own, whose id is
--       text_id(text) · kind empty -> judge where the row names a judge, else human · gold answers: any of them is right · gold answers alone: one row without document, is_relevant = true (which document is right is not known)
create or replace table label_readings as
with
lists as (  -- list form: one row a query, its documents in a list
    select *, case
        when json_type(relevant) = 'ARRAY' then list_transform(json_transform(relevant, '["VARCHAR"]'), lambda d, i: {'document_id': d, 'grade': null::varchar, 'has_grade': false, 'is_relevant': if(grades is null, null, true),
            'text': coalesce(text_of_id(expected_texts, d), texts_in(expected_texts)[i])})
        when json_type(relevant) = 'OBJECT' then list_transform(entries_in(relevant), lambda e: {'document_id': e.key, 'grade': e.value, 'has_grade': true, 'is_relevant': null::boolean,
            'text': text_of_id(expected_texts, e.key)})
        when json_type(expected_texts) = 'OBJECT' then list_transform(json_keys(expected_texts), lambda d: {'document_id': d, 'grade': null::varchar, 'has_grade': false, 'is_relevant': null::boolean, 'text': text_of_id(expected_texts, d)})
        else list_transform(texts_in(expected_texts), lambda t: {'document_id': text_id(t), 'grade': null::varchar, 'has_grade': false, 'is_relevant': null::boolean, 'text': t})
        end as named,
        coalesce(entries_in(grades), []) as graded
    from raw_labels where is_list
),
documents as (
    select * exclude (named, graded, document_id, grade, is_relevant), list_concat(
        flatten(list_transform(named, lambda n: list_transform(  -- once for each grade that stands apart, once where none does
            if(len(list_filter(graded, lambda g: g.key = n.document_id)) > 0 and is_unjudged(n.grade), list_filter(graded, lambda g: g.key = n.document_id), [{'key': n.document_id, 'value': n.grade}]),
            lambda g: {'document_id': n.document_id, 'is_relevant': n.is_relevant, 'text': n.text, 'grade': grade_of(g.value), 'is_judged': coalesce(n.is_relevant, false) or not n.has_grade or not is_unjudged(g.value)}))),
        list_transform(list_filter(graded, lambda g: len(list_filter(named, lambda n: n.document_id = g.key)) = 0),
            lambda g: {'document_id': g.key, 'is_relevant': false, 'text': null::varchar, 'grade': grade_of(g.value), 'is_judged': not is_unjudged(g.value)})) as found
    from lists
),
flat as (
    select *, unnest(if(len(found) = 0, [{'document_id': null::varchar, 'is_relevant': if(coalesce(json_type(relevant), 'NULL') = 'NULL' and gold_answers is not null, true, null), 'text': null::varchar, 'grade': null::double, 'is_judged': true}], found)) as d from documents
)
select * exclude (d, found), d.document_id as document_id, d.grade as grade, d.is_relevant as is_relevant, d.text as document_text, coalesce(d.is_judged, true) as is_judged
from flat
union all by name
select * replace (coalesce(document_id, text_id(texts_in(expected_texts)[1])) as document_id, grade_of(grade) as grade, relevance_of(is_relevant) as is_relevant),
    texts_in(expected_texts)[1] as document_text,
    coalesce(document_id, text_id(texts_in(expected_texts)[1])) is null or not (has_grade or has_relevance) or not is_unjudged(grade) or not is_unjudged(is_relevant) as is_judged
from raw_labels where not is_list;

create or replace table labels as
select nullif(query_id, '') as query_id, query_text, nullif(tenant_id, '') as tenant_id, document_id, grade, is_relevant, document_text, texts_in(gold_answers) as gold_answers, query_class,
    kind_of(kind, judge) as kind, judge, as_timestamp(judged_at) as judged_at, judged_by, names_in(pool) as pool, probability_of(inclusion_probability) as inclusion_probability,
    time_or_null(valid_from) as valid_from, time_or_null(valid_to) as valid_to, hop_of(hop) as hop, file as source, line as source_line
from (select * replace (valid_moment(valid_from) as valid_from, valid_moment(valid_to) as valid_to) from label_readings where is_judged);
create or replace table unjudged_labels as select query_id, query_text, document_id, file as source, line as source_line from label_readings where not is_judged;
drop table label_readings;
