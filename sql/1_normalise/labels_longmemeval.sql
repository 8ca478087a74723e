-- raw_longmemeval -> adapter_questions, adapter_segments: LongMemEval's questions with their evidence sessions.
-- In:   raw_longmemeval(question_id, question_type, question, answer_session_ids varchar[], haystack_session_ids varchar[])
-- Key:  adapter_questions: query_id · adapter_segments: (level, conversation, reference); conversation = the question, whose haystack it is
-- Edge: a question id that ends in _abs asks for what nobody said: nothing is right, whatever evidence the file names
--       · no haystack in the file -> no segments, so that coverage is not known
-- Source: Wu et al. 2025, arXiv 2410.10813
create or replace table adapter_segments as
select distinct 'session' as level, question_id as conversation, id as reference, id as document_id
from (select question_id, unnest(haystack_session_ids) as id from raw_longmemeval);

create or replace table adapter_questions as
select question_id as query_id, question as query_text, question_type as query_class, question_id as conversation,
    ends_with(question_id, '_abs') as is_abstention, coalesce(answer_session_ids, []) as evidence
from raw_longmemeval;
