-- labels, events_once -> label_findings: what is odd about the labels' ids, before any number is believed.
-- In:   known_ids, label_ids, spellings (6_report/known_ids.sql), label_rows, label_conflicts (2_judge/labels.sql)
-- Out:  label_findings (code, n, examples varchar[]): one row a finding, n = how many ids, rows or queries
-- Edge: packed = several ids in one text, none of it known · odd shape = digits and letters do not follow the form
--         that at least nine in ten ids have, where there is such a form
create or replace macro is_packed(id) as regexp_matches(id, '\S[;,|]\s*\S') or regexp_matches(id, '\S\s+\S');

create or replace view label_findings as
with label_ids as (
    select *, regexp_replace(regexp_replace(document_id, '[0-9]+', '9', 'g'), '[A-Za-z]+', 'a', 'g') as shape from label_ids
),
shapes as (select shape, sum(n_rows) as n, sum(n_rows) / sum(sum(n_rows)) over () as share from label_ids group by shape)
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
select 'repeated_labels', count(*), list(query_key || ' ' || document_id order by query_key, document_id)[:5]
from (select distinct tenant_id, query_key, document_id from label_rows where n_rows > 1 and n_judgements = 1 and document_id is not null)
union all
select 'conflicting_labels', count(*), list(places order by places)[:5] from (select distinct first_at || ' and ' || last_at as places from label_conflicts)
union all
select 'class_contradicts', count(*), list(query_class || ': ' || coalesce(query_id, query_text) || ' has ' || n || ' labels' order by query_class, query_id, query_text)[:5]
from (select query_class, query_id, query_text, label.n_relevant as n from labelled_queries)
where (regexp_matches(lower(query_class), 'multi') and n = 1) or (regexp_matches(lower(coalesce(query_class, '') || coalesce(query_id, '')), 'abstention|unanswerable|_abs$') and n > 0);
