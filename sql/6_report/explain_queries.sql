-- explained_questions(question, name, of_tenant, tenant_id), recalls, label_periods -> explained_queries, explained_expected: what questions name, and which documents are expected. First part of explain.sql.
-- Key:  explained_queries (question, tenant_id, query_id or text) · explained_expected (label_no, label_from, document_id)
-- Edge: a text is compared as labels are joined: NFC, white space as one space · of_tenant: that tenant's recalls alone; null = those without tenant, and those of a label without tenant
create or replace table explained_queries as
with names as (select question, name, of_tenant, tenant_id, lower(name) as trace_id, normal_text(name) as words from explained_questions),
found as (
    select n.question, r.tenant_id, r.query_id, r.query_text, r.label_no from recalls as r inner join names as n on r.query_id = n.name
    union select n.question, r.tenant_id, r.query_id, r.query_text, r.label_no from recalls as r inner join names as n on r.event_id = n.name
    union select n.question, r.tenant_id, r.query_id, r.query_text, r.label_no from recalls as r inner join names as n on r.trace_id = n.trace_id
    union select n.question, r.tenant_id, r.query_id, r.query_text, r.label_no from recalls as r inner join names as n on normal_text(r.query_text) = n.words
),
named as (
    select f.*, n.name from found as f inner join names as n using (question) left join labelled_queries as q using (label_no)
    where not n.of_tenant or f.tenant_id is not distinct from n.tenant_id or (n.tenant_id is null and f.label_no is not null and q.tenant_id is null)
),
texts as (  -- a question of several searches: its label's text, where the recall's is what the first search asked
    select question, name, tenant_id, query_id, label_no,
        coalesce(if(by_question() and query_id is not null, any_value(labelled_text), null), any_value(query_text order by query_text)) as query_text
    from named left join (select label_no, query_text as labelled_text from labelled_queries) using (label_no)
    group by question, name, tenant_id, query_id, if(query_id is null, normal_text(query_text), null), label_no)
select *, query_key(query_id, query_text) as query_key from texts;

create or replace table explained_expected as
select label_no, label_from, d.document_id, d.gain from (select label_no, label_from, unnest(label.documents) as d from label_periods)
where d.is_relevant and label_no in (select label_no from explained_queries);
