-- asked_queries, labelled_queries -> ask_groups, ask_like: queries that say the same, so that one label serves them all.
-- plain_text(text): lower case, no accents, no punctuation. shingles(text): its words and pairs of neighbouring words.
-- text_similarity(a, b): Jaccard index of the shingles, 0..1. Pairs keep the order of words: "does Ann owe Bob" is not "does Bob owe Ann".
-- In:   opt_similar(): similarity from which two queries are one; 1 = the same plain text only
-- Key:  ask_groups (ask_no): group_no = ask_no of the most asked of them · ask_like (ask_no): the labelled query most like it
-- Edge: only queries of one tenant are ever one · words with digits must be the same on both sides (dates, versions, amounts)
--       · no chains: a member is like its group's head itself · overlap is looked for among the opt_suggest_pool() most asked texts, and as
--       many labelled queries, the most asked too: every pair of them may have to be looked at
-- Source: prefix filter: Chaudhuri, Ganti, Kaushik 2006, doi 10.1109/ICDE.2006.9; pairs it leaves out cannot reach the limit
create or replace macro opt_suggest_pool() as 5000;
create or replace macro plain_text(text) as coalesce(
    nullif(trim(regexp_replace(strip_accents(lower(normal_text(text))), '[^\p{L}\p{N}]+', ' ', 'g')), ''), normal_text(text));
create or replace macro shingles_of_words(words) as list_distinct(list_concat(words,
    list_transform(words[1:len(words) - 1], lambda w, i: w || ' ' || words[i + 1])));
create or replace macro shingles(text) as shingles_of_words(string_split(plain_text(text), ' '));
create or replace macro numbers_of(text) as list_sort(list_distinct(list_filter(string_split(plain_text(text), ' '), lambda w: regexp_matches(w, '[0-9]'))));
create or replace macro shingle_similarity(a, b) as len(list_intersect(a, b)) / (len(a) + len(b) - len(list_intersect(a, b)))::double;
create or replace macro text_similarity(a, b) as shingle_similarity(shingles(a), shingles(b));

-- one row a text: unlabelled queries under their number, those of the same plain text under that of the most asked; labelled ones below zero
create or replace table same_texts as
select ask_no, min(ask_no) over (partition by tenant_id, coalesce('t' || plain_text(query_text), 'q' || query_id)) as lead_no
from asked_queries where label_no is null;

create or replace table pool_texts as
select ask_no as text_no, tenant_id, query_text
from (select *, row_number() over (order by ask_no) as place from asked_queries where ask_no in (select lead_no from same_texts) and query_text is not null)
where place <= opt_suggest_pool()
union all
select -label_no, tenant_id, query_text
from (
    select q.*, row_number() over (order by a.n desc nulls last, label_no) as place
    from labelled_queries as q left join (select label_no, sum(n) as n from asked_queries group by label_no) as a using (label_no)
    where q.query_text is not null
)
where place <= opt_suggest_pool();

create or replace table text_parts as  -- a text's shingles, numbered from the rarest on; those only one text has included
with
parts as (select text_no, tenant_id, numbers_of(query_text) as numbers, unnest(shingles(query_text)) as part from pool_texts),
numbered as (select part, row_number() over (order by count(*), part)::integer as part_no from parts group by part)
select p.text_no, any_value(p.tenant_id) as tenant_id, any_value(p.numbers) as numbers, list(n.part_no order by n.part_no) as part_nos
from parts as p inner join numbered as n using (part) group by p.text_no;

create or replace table similar_texts as
with
prefixes as (
    select text_no, tenant_id, len(part_nos) as size, unnest(part_nos[1:(len(part_nos) - ceil(opt_similar() * len(part_nos) - 1e-9) + 1)::integer]) as part_no from text_parts
),
pairs as (
    select distinct a.text_no as a_no, b.text_no as b_no
    from prefixes as a inner join prefixes as b on a.part_no = b.part_no and a.text_no <> b.text_no and a.text_no > 0
        and (a.tenant_id is not distinct from b.tenant_id or (b.text_no < 0 and b.tenant_id is null))
        and least(a.size, b.size) >= opt_similar() * greatest(a.size, b.size) - 1e-9
)
select p.a_no, p.b_no, shingle_similarity(a.part_nos, b.part_nos) as similarity
from pairs as p inner join text_parts as a on a.text_no = p.a_no inner join text_parts as b on b.text_no = p.b_no
where a.numbers = b.numbers and shingle_similarity(a.part_nos, b.part_nos) >= opt_similar();

create or replace table ask_groups as
with
leads as (select distinct lead_no from same_texts),
heads as (
    select lead_no from leads
    where lead_no not in (select a_no from similar_texts where b_no > 0 and b_no < a_no)
),
joined as (  -- the head a lead is most like; none -> it stands for itself
    select l.lead_no, coalesce(arg_min(s.b_no, (-s.similarity, s.b_no)) filter (l.lead_no not in (select lead_no from heads)), l.lead_no) as group_no,
        max(s.similarity) filter (l.lead_no not in (select lead_no from heads)) as similarity
    from leads as l left join similar_texts as s on s.a_no = l.lead_no and s.b_no in (select lead_no from heads)
    group by l.lead_no
)
select t.ask_no, j.group_no, if(t.ask_no = j.group_no, null, coalesce(j.similarity, 1.0)) as similarity
from same_texts as t inner join joined as j using (lead_no)
order by t.ask_no;

create or replace table ask_like as
select a_no as ask_no, -arg_min(b_no, (-similarity, -b_no)) as label_no, max(similarity) as similarity
from similar_texts where b_no < 0 group by a_no;
