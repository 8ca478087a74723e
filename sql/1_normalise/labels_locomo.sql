-- raw_locomo -> adapter_questions, adapter_segments: LoCoMo's questions with their evidence, and what its corpus is made of.
-- In:   raw_locomo(conversation, conversation_no, sessions json, qa struct(question, category, evidence varchar[])[])
-- Key:  adapter_questions: query_id = conversation / number of the question in the whole file, from 0
--       adapter_segments: (level, conversation, reference)
-- Edge: a turn's id (D3:7) says its session; ids are unique only inside a conversation, so document_id names it too
-- Source: Maharana et al. 2024, arXiv 2402.17753; what a category means: the data set's own scorer
create or replace table adapter_segments as
with keys as (select conversation, sessions, unnest(json_keys(sessions)) as key from raw_locomo),
turns as (
    select conversation, regexp_extract(key, '^session_(\d+)$', 1) as number,
        json_transform(json_extract(sessions, '$."' || key || '"'), '[{"dia_id": "VARCHAR"}]') as turns
    from keys where regexp_matches(key, '^session_\d+$')
)
select 'session' as level, conversation, 'D' || number as reference, conversation || '/D' || number as document_id from turns
union all
select 'turn', conversation, turn.dia_id, conversation || '/' || turn.dia_id from (select conversation, unnest(turns) as turn from turns);

create or replace table adapter_questions as
with asked as (
    select conversation, conversation_no, unnest(qa) as q, generate_subscripts(qa, 1) as question_no from raw_locomo
)
select conversation || '/' || (row_number() over (order by conversation_no, question_no) - 1) as query_id,
    q.question as query_text,
    case q.category when 1 then 'multi-hop' when 2 then 'temporal' when 3 then 'open-domain' when 4 then 'single-hop' when 5 then 'adversarial'
        else q.category::varchar end as query_class,
    conversation, false as is_abstention, coalesce(q.evidence, []) as evidence
from asked;
