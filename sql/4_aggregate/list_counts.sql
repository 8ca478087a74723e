-- list_sums -> list_counts, flag_sums -> flag_counts: over everything, one row and one row a flag.
create or replace table list_counts as
select coalesce(sum(n_empty), 0)::bigint as n_empty, coalesce(sum(n_unscorable), 0)::bigint as n_unscorable, coalesce(sum(n_null_ids), 0)::bigint as n_null_ids
from list_sums;

create or replace table flag_counts as
select flag, sum(n)::bigint as n from flag_sums group by flag order by flag;
