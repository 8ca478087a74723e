-- normalised -> events: every delivery that is no reject and lies in the period; and what is said of the sources themselves.
-- In:   normalised: contract.events, and reject_reason (null = an event), excerpt; in_period()
-- Out:  events (contract.events); source_rejects (source, source_line, reason, excerpt); source_firsts (source, first_at)
-- Edge: rejects and firsts are of whole sources, whatever the period · a reject's time is nobody's first event
create or replace view events as
select * exclude (reject_reason, excerpt) from normalised where reject_reason is null and in_period("timestamp");

create or replace view source_rejects as
select source, source_line, reject_reason as reason, excerpt from normalised where reject_reason is not null;

create or replace view source_firsts as
select source, min("timestamp") as first_at from normalised where reject_reason is null group by source;
