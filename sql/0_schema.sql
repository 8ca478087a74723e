-- The contracts every stage keeps. `contract.events` and `contract.labels` name the columns, types and units;
-- a normaliser in 1_normalise/ hands on exactly these columns, a test holds it to that.
-- Keys: events (event_id, UTC day of timestamp) · labels (tenant_id, query, document_id, kind) · rejects (source, source_line)
create schema if not exists contract;

create or replace table contract.events (
    event_id varchar not null, "timestamp" timestamptz, trace_id varchar, span_id varchar,
    query_id varchar, query_text varchar, query_class varchar, tenant_id varchar, session_id varchar,
    variant varchar, index_version varchar, operation varchar, data_source_id varchar, top_k integer,
    ranked_ids varchar[] not null, scores double[], candidate_ids varchar[], texts varchar[],
    stage_ms map(varchar, double), total_ms double, input_tokens bigint, output_tokens bigint, cost_usd double,
    cache_hit boolean, status varchar, error_type varchar, attributes map(varchar, varchar),
    source varchar, source_line bigint, flags varchar[]
);

create or replace table contract.labels (
    query_id varchar, query_text varchar, tenant_id varchar, document_id varchar, grade double,
    is_relevant boolean, document_text varchar, gold_answers varchar[], query_class varchar,
    kind varchar, judge varchar, judged_at timestamptz, judged_by varchar, pool varchar[], inclusion_probability double,
    valid_from timestamptz, valid_to timestamptz, hop integer,
    source varchar, source_line bigint
);

create or replace table contract.rejects (source varchar, source_line bigint, reason varchar, excerpt varchar);

create or replace table contract.spans (
    trace_id varchar, span_id varchar, parent_span_id varchar, name varchar,
    start timestamptz, "end" timestamptz, duration_ms double, status varchar, error_type varchar,
    attributes map(varchar, varchar), told struct(keys varchar[], texts varchar[]), resource map(varchar, varchar),
    events struct(name varchar, attributes map(varchar, varchar))[],
    source varchar, source_line bigint, flags varchar[]
);
