-- rejects_found -> rejects_told: rejects by reason, over all tasks, as one look at all logs tells them.
-- In:   rejects_found(reason, n, source, source_line, excerpt): by task, the first place and its excerpt
create or replace view rejects_told as
select reason, sum(n)::bigint as n, min((source, source_line))[1] || ':' || min((source, source_line))[2] as "where",
    arg_min(excerpt, (source, source_line)) as excerpt
from rejects_found group by reason order by n desc, reason;
