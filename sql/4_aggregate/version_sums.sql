-- keyed -> version_sums: which variants and index versions answered in each window; merges by SUM.
-- Key:  (window_start, slice_no, name, value)
create or replace table version_sums as
select window_start, slice_no, v.name, v.value, sum(n)::bigint as n
from (
    select window_start, slice_no, n, unnest([{'name': 'index_version', 'value': index_version}, {'name': 'variant', 'value': variant}]) as v
    from (select window_start, slice_no, index_version, variant, count(*) as n from keyed group by all))
where v.value is not null
group by all;
