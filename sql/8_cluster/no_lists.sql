-- list_sums, flag_sums of a task (4_aggregate/lists.sql) without rows: the look at all logs has counted what they would.
create or replace table list_sums as
select null::timestamptz as window_start, 0 as slice_no, 0::bigint as n_empty, 0::bigint as n_unscorable, 0::bigint as n_null_ids where false;

create or replace table flag_sums as select 0 as slice_no, ''::varchar as flag, 0::bigint as n where false;
