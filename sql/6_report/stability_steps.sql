-- variant_events, stability_runs -> stability_steps: which cells differ in one parameter and in nothing else.
-- In:   variant_events, stability_runs; stability_names(name): what may not be a parameter (the names that cut the log)
-- Out:  stability_parameters: attributes (and top_k, index_version, data_source_id, operation) that have one value all over a cell
--       and not the same one in all cells; a cell without it has null
--       stability_steps: neighbouring values of one parameter, all others equal: from_cells, to_cells
-- Key:  (name, cell_no) · (name, context, from_value)
-- Edge: values that are numbers in all cells (or missing) are neighbours by size, others by text · null comes first
--       · parameters that always change together have no step: nothing tells them apart
create or replace table stability_parameters as
with
told as (
    select r.cell_no, e.key as name, e.value as value
    from (select segment_no, unnest(list_concat(coalesce(map_entries(attributes), []), map_entries(map {
            'top_k': top_k::varchar, 'index_version': index_version, 'data_source_id': data_source_id, 'operation': operation}))) as e
        from variant_events) inner join stability_runs as r using (segment_no)
    where e.value is not null
),
cells as (select r.cell_no, count(*) as n from variant_events inner join stability_runs as r using (segment_no) group by r.cell_no),
levels as (
    select t.cell_no, t.name, min(t.value) as value, min(t.value) = max(t.value) and count(*) = any_value(c.n) as is_constant
    from told as t inner join cells as c using (cell_no)
    where t.name not in (select name from stability_names) and t.name <> 'sampling_rate' and not starts_with(t.name, 'recallwatch.')
    group by t.cell_no, t.name
),
kept as (
    select name from levels group by name
    having bool_and(is_constant) and (count(distinct value) > 1 or count(*) < (select count(*) from cells))
)
select k.name, c.cell_no, l.value
from kept as k cross join cells as c left join levels as l on l.name = k.name and l.cell_no = c.cell_no;

create or replace view stability_steps as
with
numbers as (select name, bool_and(value is null or try_cast(value as double) is not null) as is_number from stability_parameters group by name),
contexts as (
    select p.name, p.cell_no, p.value, coalesce(string_agg(o.name || '=' || coalesce(o.value, ''), ', ' order by o.name), '') as context
    from stability_parameters as p left join stability_parameters as o on o.cell_no = p.cell_no and o.name <> p.name
    group by all
),
levels as (
    select c.name, c.context, c.value, if(any_value(n.is_number), try_cast(c.value as double), null) as number, list(c.cell_no order by c.cell_no) as cells
    from contexts as c inner join numbers as n using (name) group by c.name, c.context, c.value
)
select name, context, value as from_value, lead(value) over next as to_value, cells as from_cells, lead(cells) over next as to_cells, number
from levels
window next as (partition by name, context order by number nulls first, value nulls first)
qualify lead(cells) over next is not null
order by name, number nulls first, value nulls first, context;
