-- label_periods -> label_periods, whose labels have `slots` and `marks`: the documents of a long label by hash, as judge() looks them up.
-- In:   label_periods, opt_long_label() · run only where some label is long: for a short one the list form is faster
-- Edge: a short label has no slots and no marks
create or replace table long_documents as
select label_no, label_from, unnest(label.documents) as document from label_periods where len(label.documents) >= opt_long_label();

create or replace table label_slots as
with
filled as (
    select label_no, label_from, slot_of(document.document_id) as slot, list(document order by document.document_id) as documents from long_documents group by all
),
every as (select label_no, label_from, unnest(range(1, 513)) as slot from (select distinct label_no, label_from from long_documents))
select label_no, label_from, list(coalesce(f.documents, []) order by slot) as slots from every left join filled as f using (label_no, label_from, slot) group by all;

create or replace table label_marks as
select label_no, label_from, bitstring_agg(mark_of(document.document_id), 0, 65535) as marks from long_documents group by all;

create or replace table label_periods as
select q.* replace (if(q.label is null, null, {
    'documents': q.label.documents, 'ideal': q.label.ideal, 'n_relevant': q.label.n_relevant, 'slots': coalesce(s.slots, []), 'marks': m.marks}) as label)
from label_periods as q left join label_slots as s using (label_no, label_from) left join label_marks as m using (label_no, label_from)
order by label_no, label_from;
