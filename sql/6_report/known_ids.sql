-- labels, events_once -> known_ids, label_ids, spellings, id_meeting: whether log and labels speak of the same document ids.
-- In:   labels (contract.labels), events_once (contract.events): of them document ids, and tenant_id, session_id where there are any
-- Key:  known_ids, label_ids: document_id · spellings: rule · id_meeting: one row
-- Edge: an id is known where any event, of any query, ever returned it or had it as a candidate · a rule maps an id of one side to the
--       other's as it is written there; both cut short would be a guess · form: what an id looks like, coarse enough that two ids of one kind share it
create or replace table known_ids as
select document_id, count(*) as n_events, count(distinct coalesce(tenant_id, session_id)) as n_owners
from (select unnest(list_concat(ranked_ids, coalesce(candidate_ids, []))) as document_id, tenant_id, session_id from events_once)
where document_id is not null group by document_id;

create or replace table label_ids as
select l.document_id, count(*) as n_rows, min(source || ':' || source_line) as "at", k.document_id is not null as is_known
from labels as l left join known_ids as k using (document_id)
where l.document_id is not null and coalesce(l.is_relevant, coalesce(l.grade, 1) > 0) group by l.document_id, k.document_id;

create or replace macro spelled(rule, id) as case rule
    when 'lower case' then lower(id) when 'no white space around' then trim(id)
    when 'no leading zeros' then regexp_replace(id, '(^|[^0-9])0+([0-9])', '\1\2', 'g')
    when 'no prefix before : / or #' then regexp_replace(id, '^.*[:/#]', '')
    when 'no letters before the number' then regexp_replace(id, '^[A-Za-z]+[-_. ]?([0-9]+)$', '\1')
    when 'no .0 at the end' then regexp_replace(id, '\.0$', '')
    when 'no file ending' then regexp_replace(id, '\.[A-Za-z][A-Za-z0-9]{0,4}$', '')
    when 'the part before the number of a chunk' then regexp_replace(id, '[#:/_.-]+(chunk|part|page|passage)?[_-]?[0-9]+$', '', 'i')
    when 'the part before the first #' then regexp_replace(id, '#.*$', '') else regexp_replace(id, ':.*$', '') end;

-- spellings that would make a label's id a known one: rule -> how many, and the first of them as each side writes it
create or replace table spellings as
with rules as (
    select unnest(['lower case', 'no white space around', 'no leading zeros', 'no prefix before : / or #', 'no letters before the number', 'no .0 at the end',
        'no file ending', 'the part before the first #', 'the part before the number of a chunk', 'the part before the first :']) as rule
),
forms as (
    select rule, document_id, side, spelled(rule, document_id) as form
    from rules, (select document_id, 'label' as side from label_ids where not is_known union all select document_id, 'log' from known_ids)
)
select l.rule, count(distinct l.document_id) as n, min(l.document_id) as label_id, arg_min(k.document_id, (l.document_id, k.document_id)) as log_id
from forms as l inner join forms as k on k.rule = l.rule and k.side = 'log' and k.form = l.form
    and (l.rule = 'lower case' or l.form = l.document_id or k.form = k.document_id)
where l.side = 'label' group by l.rule;

create or replace macro id_form(id) as case
    when regexp_full_match(id, '[0-9]+') then 'whole numbers'
    when regexp_full_match(lower(id), '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}') then 'UUIDs'
    when regexp_full_match(lower(id), '[0-9a-f]{16,}') then 'hex numbers of ' || length(id) || ' digits'
    else 'text' || coalesce(' with ' || nullif(array_to_string(list_sort(list_distinct(regexp_extract_all(id, '[^\p{L}\p{N}]'))), ' '), ''), '') end;

create or replace view id_meeting as
with
labelled as (select count(*) as n_labelled, count(*) filter (is_known) as n_known, min(document_id, 2) as label_examples, list(distinct id_form(document_id)) as label_forms from label_ids),
logged as (select count(*) as n_logged, min(document_id, 2) as log_examples, list(distinct id_form(document_id)) as log_forms from known_ids),
best as (select rule, n, label_id, log_id from spellings order by n desc, rule limit 1)
select n_labelled, n_known, n_logged, label_examples, log_examples, rule, n as n_by_rule, label_id, log_id,
    n_labelled > 0 and n_known < .01 * n_labelled as is_apart,  -- next to none of the labelled ids is known
    coalesce(n > n_known and n >= .01 * n_labelled, false) as is_by_rule,
    n_labelled >= 3 and n_logged >= 3 and not list_has_any(label_forms, log_forms) as is_other_form,  -- a few ids may differ by chance
    list_sort(label_forms)[1] as label_form, list_sort(log_forms)[1] as log_form
from labelled cross join logged left join best on true;
