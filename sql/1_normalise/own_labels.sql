-- own_queries, labels, normalised -> labels, normalised with the record as query_id, on both sides.
-- In:   own_queries (1_normalise/own_queries.sql), labels (contract.labels) of the log itself, normalised (contract.events and reject_reason, excerpt)
-- Edge: a record without labels whose text several of them share is not labelled: nothing says which is meant
update labels set query_id = record from own_queries where labels.source = own_queries.source and labels.source_line = own_queries.source_line;

alter view normalised rename to normalised_by_text;
create or replace view normalised as
select n.* exclude (rw_place) replace (coalesce(n.query_id, r.record) as query_id)
from (select *, source || ':' || source_line || '#' as rw_place from normalised_by_text) as n  -- file#2: see own_records.sql
left join own_queries as r on r.source_line = n.source_line
    and r.source = n.source || if(starts_with(n.event_id, n.rw_place), substr(n.event_id, length(n.rw_place)), '');
