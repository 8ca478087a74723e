-- events_once -> events_dealt: the events of a task, each with the bucket of its question, where all searches of it meet.
-- In:   events_once (contract.events), unit_of(), opt_buckets()
-- Out:  events_dealt: bucket, and the columns of normalised; texts: null where no text decides relevance
create or replace table events_dealt as
select hash(tenant_id, variant, unit_of(trace_id, session_id, event_id, "timestamp")) % opt_buckets() as bucket,
    * replace (if(by_id_only(), null, texts) as texts), null::varchar as reject_reason, null::varchar as excerpt
from events_once;
