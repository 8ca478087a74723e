-- normalised -> task_rejects (by reason, the first place of each) and task_facts (one row): what a task read.
create or replace view task_rejects as
select reject_reason as reason, count(*) as n, min((source, source_line))[1] as source, min((source, source_line))[2] as source_line,
    arg_min(left(excerpt, 80), (source, source_line)) as excerpt
from normalised where reject_reason is not null group by reject_reason order by reason;

create or replace view task_facts as
select count(*) as n_records, count(*) filter (reject_reason is null and "timestamp" is null) as n_without_time,
    min("timestamp")::varchar as first_at, max("timestamp")::varchar as last_at, count(*) filter (status = 'error' and reject_reason is null) as n_errors
from normalised;
