-- events_once -> list_counts: what the result lists themselves lack, over the whole log, and how many events carry each flag.
-- Not run where one look at the log (1_normalise/inspect.sql) already counted the same.
create or replace table list_counts as
select count(*) filter (len(ranked_ids) = 0) as n_empty,
    count(*) filter (len(ranked_ids) > 0 and list_count(ranked_ids) = 0) as n_unscorable,
    count(*) filter (list_count(ranked_ids) < len(ranked_ids)) as n_null_ids
from events_once;

create or replace table flag_counts as
select flag, count(*) as n from (select unnest(flags) as flag from events_once) where flag <> 'score_invalid' group by flag order by flag;
