-- labels -> kept_labels, given_labels: the version a store has, and room for the judgements that are added to it (add_labels.sql).
-- Out:  kept_labels: the version; given_labels (contract.labels): no rows yet
create or replace table kept_labels as select * replace (coalesce(kind, 'human') as kind) from (from contract.labels union all by name from labels);
create or replace table given_labels as from contract.labels;
