-- labels -> labels_hash: sha256 of what the labels say, whatever file or order they came in.
-- In:   labels
-- Out:  labels_hash (varchar), one row
-- Edge: columns that few labels have are no part of a row without them, so that a new column leaves older hashes as they are
create or replace view labels_hash as
select sha256(coalesce(string_agg(label, e'\n' order by label), '')) as labels_hash from (
    select distinct to_json(struct_pack(tenant_id, query_id, query_text, document_id, grade, is_relevant, query_class))::varchar
        || if(document_text is null and gold_answers is null, '', to_json(struct_pack(document_text, gold_answers))::varchar)
        || if(coalesce(kind, 'human') = 'human' and coalesce(inclusion_probability, 1) = 1, '',
            to_json(struct_pack(kind, judge, judged_at, inclusion_probability))::varchar)
        || if(valid_from is null and valid_to is null, '', to_json(struct_pack(valid_from, valid_to))::varchar)
        || if(hop is null, '', 'hop' || hop) as label
    from (from labels union all by name from contract.labels));
