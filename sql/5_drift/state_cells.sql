-- drift_values x drift_wanted -> state_cells: values of labelled recalls by the columns and attributes they share; merges by SUM.
-- In:   drift_values: v0, v1, … of the tested metrics; drift_wanted(day_no): the days that are summed
-- Out:  n_0, s_0, …: count and sum of each metric; traits: {name, shared}[], a recall's values, of the names that have at most cell_values()
--       of them on a day: the first cell_names() of them, first those with several, columns before attributes
-- Key:  (day_no, h, label_no, traits)
-- Edge: a value that is not logged, or over 100 letters long, is no trait: such a recall is only ever among the others
create or replace macro cell_values() as 20;
create or replace macro cell_names() as 16;

create or replace table cell_events as  -- the only look at the events; where a name has many values, about as long as they are
select day_no, drift_hour(h) as h, label_no, list_filter([
        {'name': 'query_class', 'shared': query_class}, {'name': 'tenant_id', 'shared': tenant_id}, {'name': 'variant', 'shared': variant},
        {'name': 'index_version', 'shared': index_version}, {'name': 'operation', 'shared': operation},
        {'name': 'data_source_id', 'shared': data_source_id}, {'name': 'top_k', 'shared': top_k::varchar}, {'name': 'cache_hit', 'shared': cache_hit::varchar}]
    || list_transform(coalesce(map_entries(attributes), []), lambda e: {'name': e.key, 'shared': e.value}), lambda t: length(t.shared) <= 100) as traits,
    count(columns('^v(\d+)$')) as 'n_\1', sum(columns('^v(\d+)$')::decimal(18, 12)) as 's_\1'
from drift_values where day_no in (select day_no from drift_wanted) group by all;

create or replace table cell_columns as
with shared as (
    select day_no, t.name as name, t.shared as shared, min(place) as place
    from (select day_no, unnest(traits) as t, generate_subscripts(traits, 1) as place from cell_events) group by all
)
select day_no, list(name) as names from (
    select day_no, name from shared group by day_no, name having count(*) <= cell_values()
    qualify row_number() over (partition by day_no order by count(*) = 1, min(place), name) <= cell_names())
group by day_no;

create or replace table state_cells as
select day_no, h, label_no, list_filter(traits, lambda t: list_contains(coalesce(names, []), t.name)) as traits,
    sum(columns('^n_\d+$'))::bigint, sum(columns('^s_\d+$'))::decimal(38, 12)
from cell_events left join cell_columns using (day_no) group by all;

drop table cell_events;
