-- keyed -> list_sums, flag_sums: what the result lists themselves lack, and how many events carry each flag; merges by SUM.
-- In:   keyed: events with window_start, slice_no · Key: (window_start, slice_no); (slice_no, flag)
-- Edge: where opt_match() names more than ids, a list with texts can be judged by them
-- Not run where one look at the log (1_normalise/inspect.sql) already counted the same.
create or replace table list_sums as
select window_start, slice_no, count(*) filter (len(ranked_ids) = 0) as n_empty,
    count(*) filter (len(ranked_ids) > 0 and list_count(ranked_ids) = 0 and not may_go_by_text(texts)) as n_unscorable,
    count(*) filter (list_count(ranked_ids) < len(ranked_ids) and not may_go_by_text(texts)) as n_null_ids
from keyed group by window_start, slice_no;

create or replace table flag_sums as
select slice_no, flag, count(*) as n from (select slice_no, unnest(flags) as flag from keyed) where flag <> 'score_invalid' group by all;
