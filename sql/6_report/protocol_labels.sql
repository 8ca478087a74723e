-- labelled_queries -> protocol_labels, protocol_types: what the labels that were scored hold, for the gates of a protocol.
-- Out:  protocol_labels: one row: questions, scored (something is right), documents · protocol_types: questions by class
create or replace view protocol_labels as
select count(*) as questions, count(*) filter (label.n_relevant > 0) as scored, coalesce(sum(label.n_relevant), 0)::bigint as documents from labelled_queries;

create or replace view protocol_types as
select coalesce(query_class, '(none)') as query_class, count(*) as n from labelled_queries group by all order by query_class;
