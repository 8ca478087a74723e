-- raw_labels -> labels (contract.labels), one row per judged document.
-- In:   raw_labels: query_id, query_text, tenant_id, document_id varchar; grade double; is_relevant boolean;
--       relevant json (a list of ids, or an object id -> grade) or null; grades json (object id -> grade) or null;
--       query_class, judged_at, label_source varchar; is_list boolean; file varchar, line bigint
-- Edge: relevant [] or {} -> one row without document: the right answer is to return nothing
--       · relevant and grades apart: relevance comes from the list, the gain from the grades (CodeMem)
create or replace table labels as
with
lists as (  -- list form: one row a query, its documents in a list
    select *, case
        when json_type(relevant) = 'ARRAY' then list_transform(json_transform(relevant, '["VARCHAR"]'), lambda d: {'document_id': d, 'grade': null::double, 'is_relevant': if(grades is null, null, true)})
        when json_type(relevant) = 'OBJECT' then list_transform(map_entries(json_transform(relevant, '"MAP(VARCHAR, DOUBLE)"')), lambda e: {'document_id': e.key, 'grade': e.value, 'is_relevant': null::boolean})
        end as named,
        coalesce(map_entries(json_transform(grades, '"MAP(VARCHAR, DOUBLE)"')), []) as graded
    from raw_labels where is_list
),
documents as (
    select * exclude (named, graded), list_concat(
        list_transform(named, lambda n: {
            'document_id': n.document_id, 'is_relevant': n.is_relevant,
            'grade': coalesce(n.grade, list_filter(graded, lambda g: g.key = n.document_id)[1].value)}),
        list_transform(list_filter(graded, lambda g: len(list_filter(named, lambda n: n.document_id = g.key)) = 0),
            lambda g: {'document_id': g.key, 'is_relevant': false, 'grade': g.value})) as found
    from lists
),
flat as (
    select *, unnest(if(len(found) = 0, [{'document_id': null::varchar, 'is_relevant': null::boolean, 'grade': null::double}], found)) as d from documents
)
select query_id, query_text, tenant_id, d.document_id as document_id, d.grade as grade, d.is_relevant as is_relevant,
    query_class, as_timestamp(judged_at) as judged_at, label_source, file as source, line as source_line
from flat
union all
select query_id, query_text, tenant_id, document_id, grade, is_relevant, query_class, as_timestamp(judged_at), label_source, file, line
from raw_labels where not is_list;
