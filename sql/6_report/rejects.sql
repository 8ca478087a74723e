-- source_rejects -> rejects_by_reason: why lines could not become events, the most frequent reason first.
-- In:   source_rejects (source, source_line, reason, excerpt)
-- Key:  reason · "where", excerpt: of the first by source and line
create or replace view rejects_by_reason as
select reason, count(*) as n, min((source, source_line))[1] || ':' || min((source, source_line))[2] as "where",
    arg_min(left(excerpt, 80), (source, source_line)) as excerpt
from source_rejects group by reason order by n desc, reason;
