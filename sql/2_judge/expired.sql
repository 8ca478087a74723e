-- label_periods -> label_periods, with what was right in an earlier period of the query and is not in this one.
-- In:   label_periods · run only where some label changes over time
-- Out:  expired: ids, in order
create or replace table label_periods as
with
right_documents as (
    select label_no, label_from, d.document_id as document_id
    from (select label_no, label_from, unnest(label.documents) as d from label_periods where is_dated) where d.is_relevant
),
was_right as (
    select p.label_no, p.label_from, list(distinct r.document_id order by r.document_id) as ids
    from label_periods as p inner join right_documents as r on r.label_no = p.label_no and r.label_from < p.label_from
    where isfinite(p.label_from) and not exists (select 1 from right_documents as o where o.label_no = p.label_no and o.label_from = p.label_from and o.document_id = r.document_id)
    group by all
)
select p.* replace (if(p.label_from < 'infinity', coalesce(w.ids, []), null) as expired)
from label_periods as p left join was_right as w using (label_no, label_from)
order by label_no, label_from;
