-- slices, groupings -> segments, slice_segments: what the sums of each slice add up to at read-out.
-- In:   groupings(grouping_no, names varchar[], positions integer[]): one row an entry of `by`: a column, or a product a*b;
--       positions = where its columns stand in by_values
-- Out:  segments: 0 = everything; then grouping by grouping, values in order, null (not logged) first
--       slice_segments: a slice counts in segment 0 and in one segment of each grouping
-- Key:  segments: segment_no, and also segment · slice_segments: (slice_no, segment_no)
create or replace table slice_groups as
select slice_no, dense_rank() over (order by grouping_no, null_first("values"))::integer as segment_no, map(names, "values") as segment
from (select s.slice_no, g.grouping_no, g.names, list_transform(g.positions, lambda p: s.by_values[p]) as "values" from slices as s cross join groupings as g);

create or replace table segments as
select 0 as segment_no, map([]::varchar[], []::varchar[]) as segment, '{}' as segment_key
union all
select distinct segment_no, segment, to_json(segment)::varchar from slice_groups;

create or replace table slice_segments as
select slice_no, 0 as segment_no from slices
union all
select slice_no, segment_no from slice_groups;
