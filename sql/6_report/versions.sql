-- keyed -> versions: which variants and index versions answered in each window, the most used first.
-- Key:  (window_start, name, value)
create or replace view versions as
select window_start as "window", e.key as name, e.value as value, count(*)::bigint as n
from (select window_start, unnest(map_entries(map {'index_version': index_version, 'variant': variant})) as e from keyed)
where e.value is not null
group by all
order by window_start, name, n desc, value;
