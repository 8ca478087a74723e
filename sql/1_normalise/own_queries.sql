-- labels -> own_queries: records of a log without query ids that share a query text and carry different labels, each of which is a query of its own.
-- In:   labels (contract.labels) of the log itself
-- Key:  (source, source_line); record = the query id it gets
-- Edge: records of one text and tenant that say the same stay one query, joined by text
create or replace table own_queries as
with records as (
    select tenant_id, nfc_normalize(trim(regexp_replace(query_text, '\s+', ' ', 'g'))) as query_text, source, source_line,
        to_json(list({'document_id': document_id, 'grade': grade, 'is_relevant': is_relevant, 'gold_answers': gold_answers} order by document_id, grade, is_relevant))::varchar as said
    from labels where query_id is null group by all
)
select source, source_line, source || ':' || source_line as record from records
qualify min(said) over (partition by tenant_id, query_text) <> max(said) over (partition by tenant_id, query_text);
