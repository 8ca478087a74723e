-- slice_keys -> slices: the combinations of values of all `by` columns that events have. Sums are kept by slice, so that nothing is done twice
-- per event; a read-out adds slices up to segments (segments.sql).
-- In:   slice_keys(keys varchar[], by_values varchar[]): keys = what tells slices apart; by_values = those of them that `by` names; null = not logged
-- Key:  slice_no; numbered by keys, null first
create or replace macro null_first(texts) as list_transform(texts, lambda t: {'is_known': t is not null, 'text': coalesce(t, '')});

create or replace table slices as
select row_number() over (order by null_first(keys))::integer as slice_no, keys, by_values, to_json(by_values)::varchar as by_key
from (select distinct keys, by_values from slice_keys);
