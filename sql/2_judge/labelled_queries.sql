-- label_periods -> labelled_queries: one row per labelled query, whatever the time.
-- Key:  label_no
-- Out:  label: where it changes over time, every document that is in it at any time: relevant if it ever was, with its highest gain;
--       is_dated: whether it does · is_graded, is_answer_only, is_no_answer, gold_answers, texts: of all its periods
create or replace table labelled_queries as
with
dated as (select * from label_periods where is_dated),
documents as (
    select label_no, d.document_id as document_id, max(d.gain) as gain, bool_or(d.is_relevant) as is_relevant
    from (select label_no, unnest(label.documents) as d from dated) group by all
),
texts as (
    select label_no, t.document_id as document_id, bool_or(t.is_relevant) as is_relevant, min(t.text) as text
    from (select label_no, unnest(texts) as t from dated) group by all
),
labels_of as (select label_no, label_of_documents(list({'document_id': document_id, 'gain': gain, 'is_relevant': is_relevant} order by document_id)) as label from documents group by label_no),
texts_of as (select label_no, list({'document_id': document_id, 'is_relevant': is_relevant, 'text': text} order by document_id) as texts from texts group by label_no),
merged as (
    select label_no, tenant_id, query_key, any_value(query_id) as query_id, any_value(query_text) as query_text, any_value(query_class) as query_class, any_value(kind) as kind,
        true as is_dated, bool_or(is_graded) as is_graded, nullif(list_sort(list_distinct(flatten(list(gold_answers)))), []) as gold_answers,
        bool_and(is_answer_only or label is null) as is_answer_only, bool_and(is_no_answer or label is null) as is_no_answer
    from dated group by all
)
select label_no, tenant_id, query_key, query_id, query_text, query_class, kind, is_dated, is_graded, plain_label(label) as label, texts, gold_answers, is_answer_only, is_no_answer
from label_periods where not is_dated
union all by name
select m.*, coalesce(l.label, label_of_documents([]::struct(document_id varchar, gain double, is_relevant boolean)[])) as label, t.texts
from merged as m left join labels_of as l using (label_no) left join texts_of as t using (label_no)
order by label_no;
