-- raw_multihop -> adapter_questions, adapter_segments, adapter_hops: questions of several steps with their supporting paragraphs, by title.
-- In:   raw_multihop: MuSiQue (id, question, answerable, paragraphs, question_decomposition) or HotpotQA (_id, question, type, supporting_facts, context), json
-- Key:  adapter_questions: query_id · adapter_segments: (level, conversation, reference); conversation = the question, whose paragraphs they are
--       · adapter_hops: (query_id, reference): the first step that the paragraph supports, from 1
-- Edge: MuSiQue's steps are those of the decomposition, else the supporting paragraphs in order; HotpotQA's are its supporting titles in the order of
--       mention (in a comparison they stand side by side, and the hop is that order alone) · a title twice is one document
--       · answerable false -> nothing is right · both of HotpotQA's shapes, lists of pairs and an object of lists, are read
-- Source: Trivedi et al. 2022, doi 10.1162/tacl_a_00475; Yang et al. 2018, doi 10.18653/v1/D18-1259
create or replace macro titles_of(pairs) as case json_type(pairs)
    when 'ARRAY' then list_transform(json_transform(pairs, '["JSON"]'), lambda p: json_extract_string(p, '$[0]'))
    when 'OBJECT' then json_transform(json_extract(pairs, '$.title'), '["VARCHAR"]') end;

create or replace table multihop_questions as
with
parsed as (
    select coalesce(id, _id) as query_id, question, type, answerable, supporting_facts, context,
        json_transform(paragraphs, '[{"idx":"BIGINT","title":"VARCHAR","is_supporting":"BOOLEAN"}]') as paragraphs,
        json_transform(question_decomposition, '[{"paragraph_support_idx":"BIGINT"}]') as steps
    from raw_multihop
)
select query_id, question as query_text, coalesce(type, nullif(regexp_extract(query_id, '^[0-9]hop'), ''), len(steps) || 'hop') as query_class,
    coalesce(not answerable, false) as is_abstention,
    case when supporting_facts is not null then titles_of(supporting_facts)
        when list_bool_or(list_transform(steps, lambda s: s.paragraph_support_idx is not null))
            then list_transform(steps, lambda s: list_filter(paragraphs, lambda p: p.idx = s.paragraph_support_idx)[1].title)
        else list_transform(list_filter(paragraphs, lambda p: p.is_supporting), lambda p: p.title) end as supports,
    list_distinct(if(supporting_facts is not null, titles_of(context), list_transform(paragraphs, lambda p: p.title))) as titles
from parsed;

create or replace table adapter_segments as
select 'title' as level, query_id as conversation, title as reference, title as document_id
from (select query_id, unnest(titles) as title from multihop_questions) where title is not null;

create or replace table adapter_questions as
select query_id, query_text, query_class, query_id as conversation, is_abstention,
    list_filter(supports, lambda t, i: t is not null and list_position(supports, t) = i) as evidence
from multihop_questions;

create or replace table adapter_hops as
select query_id, unnest(evidence) as reference, generate_subscripts(evidence, 1)::integer as hop from adapter_questions where not is_abstention;
