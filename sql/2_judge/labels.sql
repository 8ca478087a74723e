-- labels -> label_periods: one row per labelled query and period in which its label stays the same, with the whole label in the shape judge() wants.
-- In:   labels (contract.labels), opt_* macros
-- Key:  (label_no, label_from): a number in the order tenant_id, query_id, query_text, the same for any order of the label rows; and the start of the
--       period, which lasts until label_until. A query without valid_from and valid_to has one period, -infinity to infinity; one whose label changes
--       over time (is_dated) has another one, infinity to infinity, for events without a time: what was right for them is not known (label null)
-- Edge: identical rows merge · labels that contradict each other (label_conflicts): opt_label_conflicts() · grade null = 1, or 0 where is_relevant is
--       false · grade <= 0 = judged, gain 0
--       · labels of several kinds: a query's label is of the first kind of label_kinds() that it has; what other kinds say of it does not count
--       · mean, majority: of every row of a document, so of several judges; documents hold against one who says that nothing is right
--       · document_id null = nothing is right (no document in the label)
--       · a label without tenant holds for every tenant, beside the tenant's own: a query has one row without tenant, and one for each tenant that
--       labels it too (2_judge/recalls.sql finds the row of an event)
--       · a row holds from valid_from up to valid_to (null = without end): rows of one document may follow each other, and contradict only where both hold
--       · a period in which no row holds -> label null: what is right then is not known
-- Out:  expired: documents that were right in an earlier period and are not in this one (expired.sql) · texts: what its documents say, of those that have a text, by id; hops: the relevant documents that are evidence of a hop; null = none has · gold_answers: null = none ·
--       is_answer_only: what should come back is not known, only what the answer should be ·
--       is_no_answer: the right answer is to return nothing (a query whose documents are all judged not relevant is no such query)
create or replace macro normal_text(text) as nfc_normalize(trim(regexp_replace(text, '\s+', ' ', 'g')));
create or replace macro query_key(query_id, query_text) as coalesce('id:' || query_id, 'text:' || normal_text(query_text));
-- unless labels are mixed (texts_alone.sql), or share a text (shared_texts.sql)
create or replace macro is_labelled_id(logged) as true;
create or replace macro is_shared_text(tenant, logged_id, logged_text) as false;

-- tables of labels made before these columns were lack them
alter table labels add column if not exists document_text varchar;
alter table labels add column if not exists gold_answers varchar[];
alter table labels add column if not exists kind varchar default 'human';
alter table labels add column if not exists judge varchar;
alter table labels add column if not exists pool varchar[];
alter table labels add column if not exists inclusion_probability double;
alter table labels add column if not exists valid_from timestamptz;
alter table labels add column if not exists valid_to timestamptz;
alter table labels add column if not exists hop integer;

-- what one label says: no grade = 1, or 0 where it says not relevant
create or replace macro judged_grade(grade, is_relevant) as coalesce(grade, is_relevant::integer::double, 1.0);
-- of several judges: what most of them said, of a tie the lower
create or replace macro most_frequent(counts) as list_sort(list_transform(map_entries(counts), lambda e: {'n': -e.value::bigint, 'said': e.key}))[1].said;
create or replace macro is_abstention(query_id, query_class) as
    coalesce(ends_with(query_id, '_abs'), false) or regexp_matches(lower(coalesce(query_class, '')), 'abstention|unanswerable');

create or replace macro some_kinds() as (select min(kind) is distinct from max(kind) from labels);

-- every moment at which a query's label may change, and the rows that hold between two of them
create or replace table label_bounds as
with moments as (
    select query_key(query_id, query_text) as query_key, '-infinity'::timestamptz as label_from from labels
    union select query_key(query_id, query_text), valid_from from labels where valid_from is not null
    union select query_key(query_id, query_text), valid_to from labels where valid_to is not null
),
periods as (
    select query_key, label_from, lead(label_from) over (partition by query_key order by label_from) as label_to, count(*) over (partition by query_key) > 1 as is_dated from moments
)
select query_key, label_from, if(is_dated, coalesce(label_to, end_of_time()) - interval 1 microsecond, 'infinity'::timestamptz) as label_until, is_dated from periods
union all
select distinct query_key, 'infinity'::timestamptz, 'infinity'::timestamptz, true from periods where is_dated;

create or replace view dated_labels as
select l.*, b.query_key, b.label_from
from labels as l inner join label_bounds as b on b.query_key = query_key(l.query_id, l.query_text)
    and b.label_from >= coalesce(l.valid_from, '-infinity'::timestamptz) and b.label_from < coalesce(l.valid_to, 'infinity'::timestamptz) and b.label_from < 'infinity'::timestamptz
where list_contains(label_kinds(), l.kind);  -- all of them, or the kinds that are looked at alone

create or replace table label_rows as
select * replace (array_to_string(list_sort(list_distinct(judge)), ', ') as judge),  -- a list: three times as fast as string_agg(distinct)
    first_place.source || ':' || first_place.source_line as first_at, last_place.source || ':' || last_place.source_line as last_at
from (select tenant_id, query_key, label_from, document_id, kind,
    min(query_id) as query_id, min(normal_text(query_text)) as query_text, min(query_class) as query_class,
    case opt_label_conflicts() when 'last' then arg_max(judged_grade(grade, is_relevant), (source, source_line)) when 'mean' then avg(judged_grade(grade, is_relevant))
        when 'majority' then most_frequent(histogram(judged_grade(grade, is_relevant))) else max(judged_grade(grade, is_relevant)) end as grade,
    case opt_label_conflicts() when 'last' then arg_max_null(is_relevant, (source, source_line)) when 'mean' then avg(is_relevant::integer) > .5
        when 'majority' then most_frequent(histogram(is_relevant)) else bool_or(is_relevant) end as is_relevant,
    min(document_text) as document_text, list(judge) filter (judge is not null) as judge, min(hop) as hop, flatten(list(gold_answers)) as gold_answers, count(grade) > 0 as is_graded,
    count(*) as n_rows, count(distinct (judged_grade(grade, is_relevant), coalesce(is_relevant, judged_grade(grade, is_relevant) > 0))) as n_judgements,
    min({'source': source, 'source_line': source_line}) as first_place, max({'source': source, 'source_line': source_line}) as last_place  -- structs: recall.duckdb keeps no tuples
from (
    select * replace (if(is_skipped, null, document_id) as document_id, if(is_skipped, null, grade) as grade, if(is_skipped, null, is_relevant) as is_relevant)
    from (select *, opt_abstention() = 'skip' and is_abstention(query_id, query_class) as is_skipped from dated_labels)
)
group by all);

-- labels that cannot both hold: two judgements of one document, or one says that nothing is right and another names what is
create or replace table label_conflicts as
select tenant_id, query_key, kind, label_from, document_id, false as is_of_query, false as ends_empty, first_at, last_at from label_rows where document_id is not null and n_judgements > 1
union all
select e.tenant_id, e.query_key, e.kind, e.label_from, d.document_id, true, e.last_place > d.last_place, if(e.last_place > d.last_place, d.last_at, e.last_at), if(e.last_place > d.last_place, e.last_at, d.last_at)
from label_rows as e
inner join (
    select tenant_id, query_key, kind, label_from, arg_max(document_id, last_place) as document_id, arg_max(last_at, last_place) as last_at, max(last_place) as last_place
    from label_rows where document_id is not null and coalesce(is_relevant, grade > 0) group by all) as d
    on d.query_key = e.query_key and d.kind = e.kind and d.label_from = e.label_from and d.tenant_id is not distinct from e.tenant_id
where e.document_id is null and e.is_relevant is distinct from true;

create or replace table label_periods as
with
usable as (  -- drop leaves the whole query out; max holds to the documents, last to what was said last
    select r.* from label_rows as r
    left join (select tenant_id, query_key, kind, label_from, ends_empty from label_conflicts where is_of_query) as c
        on c.query_key = r.query_key and c.kind = r.kind and c.label_from = r.label_from and c.tenant_id is not distinct from r.tenant_id
    where case opt_label_conflicts() when 'drop' then (r.query_key, r.kind) not in (select (query_key, kind) from label_conflicts)
        when 'last' then c.query_key is null or (r.document_id is null) = c.ends_empty
        else c.query_key is null or r.document_id is not null end
),
owners as (select distinct tenant_id, query_key from usable),
every_kind as (  -- the rows of a tenant's own label, and those without tenant that stand beside them
    select o.tenant_id, u.* exclude (tenant_id), u.tenant_id is not null as is_own
    from usable as u inner join owners as o on o.query_key = u.query_key and (u.tenant_id is null or u.tenant_id = o.tenant_id)
),
held as (
    select * from every_kind where not some_kinds()
    union all
    select e.* from every_kind as e inner join (
        select tenant_id, query_key, min_by(kind, list_position(label_kinds(), kind)) as kind from every_kind where some_kinds() group by all) as f
        on f.query_key = e.query_key and f.kind = e.kind and f.tenant_id is not distinct from e.tenant_id
),
documents as (
    select tenant_id, query_key, label_from, document_id,
        gain_of(arg_max(grade, is_own)) as gain,
        coalesce(arg_max(is_relevant, is_own), is_relevant_grade(arg_max(grade, is_own))) as is_relevant,
        arg_max(document_text, is_own) as document_text, arg_max(hop, is_own) as hop
    from held where document_id is not null group by all
),
packed as (
    select tenant_id, query_key, label_from, label_of_documents(list({'document_id': document_id, 'gain': gain, 'is_relevant': is_relevant} order by document_id)) as label,
        list({'document_id': document_id, 'is_relevant': is_relevant, 'text': document_text} order by document_id) filter (document_text is not null) as texts,
        list({'document_id': document_id, 'hop': hop} order by hop, document_id) filter (hop is not null and is_relevant) as hops
    from documents group by all
),
queries as (
    select tenant_id, query_key, min(query_id) as query_id, min(query_text) as query_text, min(query_class) as query_class, min(kind) as kind,
        row_number() over (order by tenant_id nulls first, min(query_id) nulls first, min(query_text), query_key)::integer as label_no
    from held group by tenant_id, query_key
),
periods as (
    select tenant_id, query_key, label_from, bool_or(is_graded) as is_graded, list_sort(list_distinct(flatten(list(gold_answers)))) as gold_answers,
        count(document_id) = 0 and bool_or(document_id is null and coalesce(is_relevant, false)) as is_answer_only,
        count(document_id) = 0 and not bool_or(document_id is null and coalesce(is_relevant, false)) as is_no_answer
    from held group by all
)
select q.label_no, q.tenant_id, q.query_key, q.query_id, q.query_text, q.query_class, q.kind, b.label_from, b.label_until, b.is_dated, coalesce(h.is_graded, false) as is_graded,
    if(h.query_key is null, null, coalesce(p.label, label_of_documents([]::struct(document_id varchar, gain double, is_relevant boolean)[]))) as label,
    p.texts, p.hops, nullif(h.gold_answers, []) as gold_answers, coalesce(h.is_answer_only, false) as is_answer_only, coalesce(h.is_no_answer, false) as is_no_answer,
    []::varchar[] as expired
from queries as q inner join label_bounds as b on b.query_key = q.query_key
left join periods as h on h.query_key = q.query_key and h.label_from = b.label_from and h.tenant_id is not distinct from q.tenant_id
left join packed as p on p.query_key = q.query_key and p.label_from = b.label_from and p.tenant_id is not distinct from q.tenant_id
order by label_no, b.label_from;
