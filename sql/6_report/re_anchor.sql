-- labels, recalls -> decayed_documents, anchors, anchored_labels: labels of documents that no list shows any more, and the ids these have now.
-- In:   labels, recalls, label_periods; anchor_mapping(old_id, new_id): what a file says of ids; null = a document that is gone for good
-- Out:  decayed_documents: relevant documents of queries that were asked, which no list or candidate list shows; n_labels: queries that name it
--       anchors (document_id, new_id, how): mapping (a file says so) · text (the same text) · part (a text shown is part of its text: new chunks) ·
--       whole (its text is part of one shown: joined chunks); the first of these that finds any
--       anchored_labels: the labels, each of a document with anchors once for each of them; what was judged twice stays once
-- Edge: texts are compared as normal_text; parts under 40 letters say nothing · a document that is still shown keeps its id, whatever a file says
create or replace table anchor_shown as
select d.id as document_id, min(normal_text(d.text)) as text
from (select unnest(list_zip(ranked_ids, texts)) as d from recalls union all select unnest(list_zip(candidate_ids, []::varchar[])) from recalls) as t(z),
    lateral (select z[1] as id, z[2] as text) as d
where d.id is not null group by all;

create or replace table decayed_documents as
select d.document_id, count(distinct p.label_no) as n_labels
from (select label_no, unnest(label.documents) as d from label_periods where label_no in (select label_no from recalls)) as p
where d.is_relevant and d.document_id not in (select document_id from anchor_shown) group by d.document_id;

create or replace table anchors as
with texts as (
    select l.document_id, min(normal_text(l.document_text)) as text from labels as l inner join decayed_documents using (document_id)
    where l.document_text is not null group by l.document_id
),
every as (
    select m.old_id as document_id, m.new_id, 'mapping' as how, 1 as place from anchor_mapping as m inner join decayed_documents as d on d.document_id = m.old_id
    where m.new_id is not null
    union all
    select t.document_id, s.document_id, 'text', 2 from texts as t inner join anchor_shown as s using (text)
    union all
    select t.document_id, s.document_id, if(len(s.text) < len(t.text), 'part', 'whole'), if(len(s.text) < len(t.text), 3, 4)
    from texts as t inner join anchor_shown as s on s.text <> t.text and least(len(s.text), len(t.text)) >= 40 and (contains(t.text, s.text) or contains(s.text, t.text))
)
select distinct document_id, new_id, how from every qualify place = min(place) over (partition by document_id);

create or replace view anchored_labels as
select distinct on (tenant_id, coalesce(query_id, query_text), document_id, kind, judge, judged_by, valid_from)
    l.* replace (coalesce(a.new_id, l.document_id) as document_id)
from (select * from labels where document_id is null or document_id not in (select old_id from anchor_mapping where new_id is null)
    or document_id in (select document_id from anchor_shown)) as l
left join anchors as a on a.document_id = l.document_id
order by tenant_id, coalesce(query_id, query_text), coalesce(a.new_id, l.document_id), kind, judge, judged_by, valid_from, a.new_id is not null, source, source_line;
