-- version_sums -> versions: which variants and index versions answered in each window, the most used first.
-- Key:  (window, name, value)
create or replace view versions as
select window_start as "window", name, value, sum(n)::bigint as n
from version_sums
group by all
order by "window", name, n desc, value;
