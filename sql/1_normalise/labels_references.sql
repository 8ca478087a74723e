-- adapter_questions, adapter_segments -> adapter_labels: evidence as document ids at the granularity agreed on, and what could not be read.
-- In:   adapter_questions(query_id, query_text, query_class, conversation, is_abstention, evidence varchar[])
--       adapter_segments(level, conversation, reference, document_id): empty = the file does not hold the corpus
--       macros agreed_id(reference, conversation): the protocol's rules, null = not readable; agreed_level(), reference_level()
-- Out:  adapter_references: one row a reference · adapter_labels: one row a question and document, in contract.labels' columns
--       · adapter_counts: one row · adapter_types: questions by type
-- Edge: is_malformed: no id of the corpus at the level references are written in; its first part may still name a document
--       · abstention, or a question without evidence -> one row without document: nothing is right
--       · no reference resolves -> no row: not labelled, counted in n_unresolved
create or replace table adapter_references as
with every_reference as (
    select query_id, conversation, unnest(evidence) as reference, generate_subscripts(evidence, 1) as position from adapter_questions
),
named as (select *, agreed_id(reference, conversation) as named_id from every_reference)
select n.query_id, n.reference, n.position,
    exists (select 1 from adapter_segments where level = reference_level()) and not exists (
        select 1 from adapter_segments as s where s.level = reference_level() and s.conversation = n.conversation and s.reference = n.reference) as is_malformed,
    if(not exists (select 1 from adapter_segments where level = agreed_level()) or exists (
        select 1 from adapter_segments as s where s.level = agreed_level() and s.conversation = n.conversation and s.document_id = n.named_id), n.named_id, null) as document_id
from named as n;

create or replace table adapter_labels as
select distinct q.query_id, q.query_text, q.query_class, if(q.is_abstention, null, r.document_id) as document_id
from adapter_questions as q left join adapter_references as r on r.query_id = q.query_id
where q.is_abstention or len(q.evidence) = 0 or r.document_id is not null
order by q.query_id, document_id;

create or replace view adapter_types as
select query_class, count(*) as n from adapter_questions group by query_class order by query_class;

create or replace view adapter_counts as
with questions as (
    select q.query_id, q.is_abstention, len(q.evidence) > 0 as has_evidence, coalesce(bool_or(r.document_id is not null), false) as is_resolved,
        coalesce(bool_or(not r.is_malformed), false) as is_readable
    from adapter_questions as q left join adapter_references as r on r.query_id = q.query_id group by all
),
asked as (
    select count(*) as questions, count(*) filter (has_evidence) as with_evidence, count(*) filter (is_abstention) as abstention,
        count(*) filter (has_evidence and not is_abstention) as scored, count(*) filter (has_evidence and not is_abstention and not is_resolved) as unresolved,
        count(*) filter (has_evidence and not is_readable) as without_a_readable_reference
    from questions
)
select questions, with_evidence, abstention, scored,
    (select count(*) from adapter_references) as "references",
    (select count(*) from adapter_references) - (select count(*) from (select distinct query_id, reference from adapter_references)) as repeated_references,
    (select count(*) from adapter_references where is_malformed) as malformed_references,
    unresolved, without_a_readable_reference,
    segments, if(segments = 0, null, (scored - unresolved)::double / nullif(scored, 0)) as oracle_coverage
from asked cross join (select count(*) filter (level = agreed_level()) as segments from adapter_segments);
