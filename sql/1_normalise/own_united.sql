-- labels -> own_united: queries whose records in a log carry different labels. A label holds for a query, so all of them hold for each of its records.
-- In:   labels (contract.labels) of the log itself
-- Key:  (tenant_id, query_id)
-- Edge: labels of another kind or judge, or with a time at which they hold, are told apart by that and are not united
create or replace table own_united as
with records as (
    select tenant_id, query_id, kind, judge, source, source_line, bit_xor(hash(document_id, grade, is_relevant)) as said
    from labels where query_id is not null and valid_from is null and valid_to is null group by all
)
select distinct tenant_id, query_id from records group by tenant_id, query_id, kind, judge having min(said) <> max(said);
