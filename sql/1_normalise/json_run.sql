-- raw_lines -> json_runs: a run as one JSON object, {query id: {document id: score}} (ranx, pytrec_eval, BEIR), as one row a query.
-- In:   raw_lines (file, line, line_text, problem)
-- Out:  query_id, ranked_ids, scores, rw_file, rw_line, rw_problem
-- Edge: the highest score is the first rank, of equal ones the first in the object · no documents -> [] · a score that is no number, another object: a reject
create or replace table json_runs as
with
queries as (
    select file, line, nullif(problem, 'incomplete_tail') as damage, line_text,
        unnest(if(json_valid(line_text) and json_type(line_text) = 'OBJECT', entries_in(line_text), [null])) as q
    from raw_lines where trim(line_text) <> ''
),
lists as (
    select *, if(json_valid(q.value) and json_type(q.value) = 'OBJECT', list_sort(list_transform(entries_in(q.value), lambda e, i: {'score': -try_cast(e.value as double), 'at': i, 'id': e.key})), null) as hits
    from queries
)
select q.key as query_id, list_transform(hits, lambda h: h.id) as ranked_ids, list_transform(hits, lambda h: -h.score) as scores, file as rw_file, line as rw_line,
    coalesce(damage, if(hits is null or list_bool_or(list_transform(hits, lambda h: h.score is null)), 'not a run {query id: {document id: score}}', null)) as rw_problem
from lists;
