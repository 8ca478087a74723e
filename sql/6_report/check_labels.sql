-- labels, events_once -> label_findings: what is odd about the labels' ids, before any number is believed.
-- In:   labels (contract.labels), events_once (contract.events), label_rows (2_judge/labels.sql)
-- Out:  label_findings (code, n, examples varchar[]): one row a finding, n = how many ids, rows or queries
-- Edge: an id counts as known where any event, of any query, ever returned it or had it as a candidate
--       · packed = several ids in one text, none of it known · odd shape = digits and letters do not follow the form
--         that at least nine in ten ids have, where there is such a form
create or replace table known_ids as
select document_id, count(*) as n_events, count(distinct coalesce(tenant_id, session_id)) as n_owners
from (select unnest(list_concat(ranked_ids, coalesce(candidate_ids, []))) as document_id, tenant_id, session_id from events_once)
where document_id is not null group by document_id;

create or replace table label_ids as
select l.document_id, count(*) as n_rows, min(source || ':' || source_line) as "at", k.document_id is not null as is_known,
    regexp_replace(regexp_replace(l.document_id, '[0-9]+', '9', 'g'), '[A-Za-z]+', 'a', 'g') as shape
from labels as l left join known_ids as k using (document_id)
where l.document_id is not null and coalesce(l.is_relevant, coalesce(l.grade, 1) > 0) group by l.document_id, k.document_id;

create or replace macro is_packed(id) as regexp_matches(id, '\S[;,|]\s*\S') or regexp_matches(id, '\S\s+\S');

-- spellings that would make a label's id a known one: rule -> the id after it, on both sides
create or replace table spellings as
with rules as (
    select unnest(['lower case', 'no white space around', 'no leading zeros', 'no prefix before : / or #', 'no .0 at the end', 'the part before the first :']) as rule
),
forms as (
    select rule, document_id, side, case rule
        when 'lower case' then lower(document_id) when 'no white space around' then trim(document_id)
        when 'no leading zeros' then regexp_replace(document_id, '(^|[^0-9])0+([0-9])', '\1\2', 'g')
        when 'no prefix before : / or #' then regexp_replace(document_id, '^.*[:/#]', '')
        when 'no .0 at the end' then regexp_replace(document_id, '\.0$', '') else regexp_replace(document_id, ':.*$', '') end as form
    from rules, (select document_id, 'label' as side from label_ids where not is_known union all select document_id, 'log' from known_ids)
)
select l.rule, count(distinct l.document_id) as n, min(l.document_id) as label_id, arg_min(k.document_id, l.document_id) as log_id
from forms as l inner join forms as k on k.rule = l.rule and k.side = 'log' and k.form = l.form
    and (l.rule = 'lower case' or l.form = l.document_id or k.form = k.document_id)  -- both cut short would be a guess
where l.side = 'label' group by l.rule;

create or replace view label_findings as
with shapes as (select shape, sum(n_rows) as n, sum(n_rows) / sum(sum(n_rows)) over () as share from label_ids group by shape)
select 'packed_ids' as code, count(*) as n, list(document_id order by document_id)[:30] as examples from label_ids where not is_known and is_packed(document_id)
union all
select 'odd_ids', count(*), list(document_id order by document_id)[:30] from label_ids
where not is_known and not is_packed(document_id) and exists (select 1 from shapes where share >= .9) and shape not in (select shape from shapes where share >= .01)
union all
select 'unknown_ids', count(*), list(document_id order by document_id)[:30] from label_ids where not is_known
union all
select 'other_spelling', coalesce(max(n), 0), list(rule || ': ' || label_id || ' = ' || log_id || ' (' || n || ' ids)' order by n desc, rule)[:3] from spellings
union all
select 'shared_ids', count(*), list(document_id order by n_owners desc, document_id)[:5] from known_ids where n_owners > 1
union all
select 'repeated_labels', count(*), list(query_key || ' ' || document_id order by query_key, document_id)[:5] from label_rows where n_rows > 1 and n_judgements = 1 and document_id is not null
union all
select 'conflicting_labels', count(*), list(first_at || ' and ' || last_at order by first_at, last_at)[:5] from label_conflicts
union all
select 'class_contradicts', count(*), list(query_class || ': ' || coalesce(query_id, query_text) || ' has ' || n || ' labels' order by query_class, query_id, query_text)[:5]
from (select query_class, query_id, query_text, label.n_relevant as n from labelled_queries)
where (regexp_matches(lower(query_class), 'multi') and n = 1) or (regexp_matches(lower(coalesce(query_class, '') || coalesce(query_id, '')), 'abstention|unanswerable|_abs$') and n > 0);
