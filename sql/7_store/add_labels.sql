-- kept_labels, given_labels -> labels: the current version with new judgements in it; what is judged anew replaces what was said before.
-- In:   kept_labels, given_labels: contract.labels · Key of a judgement: (tenant_id, query, document_id, kind, valid_from), query = id, else text
-- Out:  labels (contract.labels) · added_labels: one row of counts · contradicted_labels: judgements that cannot both hold
-- Edge: kept labels without any query_id join by text, so that new ones are taken by text as well (else they would part events from both)
--       · "nothing is right" (document_id null) gives way to the first document found · over documents that stay it is a contradiction
--       · judgements of one document whose times of validity do not meet stand beside each other
--       · the same judgement again is no change: the older row stays, with its own judged_at and judged_by
create or replace table new_labels as
select * replace (if(query_text is not null and by_text, null, query_id) as query_id)
from given_labels cross join (select count(*) > 0 and count(query_id) = 0 as by_text from kept_labels);
alter table new_labels drop column by_text;

create or replace macro same_label(a, b) as a.tenant_id is not distinct from b.tenant_id and a.kind = b.kind
    and query_key(a.query_id, a.query_text) = query_key(b.query_id, b.query_text) and a.document_id is not distinct from b.document_id and a.valid_from is not distinct from b.valid_from;
create or replace macro hold_together(a, b) as coalesce(a.valid_from < b.valid_to, true) and coalesce(b.valid_from < a.valid_to, true);
create or replace macro same_judgement(a, b) as a.valid_to is not distinct from b.valid_to and judged_grade(a.grade, a.is_relevant) = judged_grade(b.grade, b.is_relevant) and a.is_relevant is not distinct from b.is_relevant
    and (b.inclusion_probability is null or a.inclusion_probability is not distinct from b.inclusion_probability);

create or replace table replaced_labels as
select k.source, k.source_line, k.document_id, k.kind, k.valid_from, query_key(k.query_id, k.query_text) as query_key, k.tenant_id, bool_and(same_judgement(k, g)) as is_same
from kept_labels as k inner join new_labels as g on same_label(k, g)
group by all;

create or replace table labels as
select k.* from kept_labels as k
where not exists (select 1 from replaced_labels as r where not r.is_same and r.tenant_id is not distinct from k.tenant_id and r.kind = k.kind
        and r.query_key = query_key(k.query_id, k.query_text) and r.document_id is not distinct from k.document_id and r.valid_from is not distinct from k.valid_from)
    and not (k.document_id is null and exists (select 1 from new_labels as g where g.document_id is not null and g.kind = k.kind and hold_together(g, k)
        and g.tenant_id is not distinct from k.tenant_id and query_key(g.query_id, g.query_text) = query_key(k.query_id, k.query_text)))
union all by name
select g.* from new_labels as g
where not exists (select 1 from replaced_labels as r where r.is_same and r.tenant_id is not distinct from g.tenant_id and r.kind = g.kind
        and r.query_key = query_key(g.query_id, g.query_text) and r.document_id is not distinct from g.document_id and r.valid_from is not distinct from g.valid_from);

create or replace view contradicted_labels as
select g.source || ':' || g.source_line as given_at, coalesce(g.query_id, g.query_text) as query, count(*) as n
from new_labels as g inner join labels as l
    on l.document_id is not null and hold_together(l, g) and l.kind = g.kind and l.tenant_id is not distinct from g.tenant_id and query_key(l.query_id, l.query_text) = query_key(g.query_id, g.query_text)
where g.document_id is null
group by all order by all;

create or replace view added_labels as
select g.n_given, g.n_given - r.n_unchanged - r.n_replaced as n_new, r.n_replaced, r.n_unchanged, g.n_queries
from (select count(*) as n_given, count(distinct (tenant_id, query_key(query_id, query_text))) as n_queries from new_labels) as g
cross join (select count(*) filter (is_same) as n_unchanged, count(*) filter (not is_same) as n_replaced from replaced_labels) as r;
