-- The contracts every stage keeps. `contract.events` and `contract.labels` name the columns, types and units;
-- a normaliser in 1_normalise/ hands on exactly these columns, a test holds it to that.
-- Keys: events (event_id, UTC day of timestamp) · labels (tenant_id, query, document_id) · rejects (source, source_line)
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
comment on table contract.events is 'one row per ranked list handed to a consumer; null = not logged, never zero';
comment on column contract.events.event_id is 'logged id, else trace_id:span_id, else source:line';
comment on column contract.events."timestamp" is 'start of the recall, UTC, microseconds';
comment on column contract.events.trace_id is 'lower hex';
comment on column contract.events.span_id is 'lower hex';
comment on column contract.events.query_id is 'joins to labels first';
comment on column contract.events.query_text is 'joins to labels where there is no query_id';
comment on column contract.events.query_class is 'slice: kind of question; where null the label''s own class stands in';
comment on column contract.events.tenant_id is 'slice: whose data; a label that names a tenant matches this tenant only';
comment on column contract.events.session_id is 'slice: conversation or session';
comment on column contract.events.variant is 'slice: configuration or arm under test';
comment on column contract.events.index_version is 'slice: version of the index or corpus';
comment on column contract.events.operation is 'retrieval | search_memory | rerank';
comment on column contract.events.data_source_id is 'index or memory store';
comment on column contract.events.top_k is 'number of results asked for';
comment on column contract.events.ranked_ids is 'document ids, best first; [] = nothing returned; a null element = unknown id at that rank';
comment on column contract.events.scores is 'retriever''s score per rank, same length as ranked_ids; finite or null';
comment on column contract.events.candidate_ids is 'the list before reranking';
comment on column contract.events.texts is 'contents per rank, where a log has them';
comment on column contract.events.stage_ms is 'own duration per stage, ms, finite and >= 0; null value = stage ran, time not known';
comment on column contract.events.total_ms is 'duration of the whole recall, ms, finite and >= 0';
comment on column contract.events.input_tokens is 'tokens, count';
comment on column contract.events.output_tokens is 'tokens, count';
comment on column contract.events.cost_usd is 'US dollars';
comment on column contract.events.cache_hit is 'true = answered from a cache';
comment on column contract.events.status is 'ok | error';
comment on column contract.events.error_type is 'what failed, as logged';
comment on column contract.events.attributes is 'every other logged scalar field, under its own name';
comment on column contract.events.source is 'file the event came from';
comment on column contract.events.source_line is 'line (text) or row (Parquet) in that file, from 1';
comment on column contract.events.flags is 'each repair or doubt, by name';

create or replace table contract.labels (
    query_id varchar, query_text varchar, tenant_id varchar, document_id varchar, grade double,
    is_relevant boolean, document_text varchar, gold_answers varchar[], query_class varchar, judged_at timestamptz, label_source varchar,
    source varchar, source_line bigint
);
comment on table contract.labels is 'one row per judged (tenant, query, document)';
comment on column contract.labels.query_id is 'joins to events.query_id';
comment on column contract.labels.query_text is 'joins to events.query_text where either side has no query_id (NFC, white space collapsed)';
comment on column contract.labels.tenant_id is 'null = holds for every tenant';
comment on column contract.labels.document_id is 'null = the right answer is to return nothing; null and is_relevant = something is right, and no id says what (a gold answer alone)';
comment on column contract.labels.grade is 'any finite number; > 0 is relevant (or rel_level); null = not graded, counts as 1, or as 0 where is_relevant is false';
comment on column contract.labels.is_relevant is 'set only where a source tells relevance apart from the grade';
comment on column contract.labels.document_text is 'expected text: what the document says, for --match; a document without an id of its own has text_id() of it';
comment on column contract.labels.gold_answers is 'right answers to the query, any of which will do; for answer_exact and answer_f1';
comment on column contract.labels.query_class is 'class of the query, used where the event has none';
comment on column contract.labels.judged_at is 'when it was judged, UTC';
comment on column contract.labels.label_source is 'who or what judged';
comment on column contract.labels.source is 'file the label came from';
comment on column contract.labels.source_line is 'line or row in that file, from 1';

create or replace table contract.rejects (source varchar, source_line bigint, reason varchar, excerpt varchar);
comment on table contract.rejects is 'what could not become an event: nothing leaves the flow uncounted';
comment on column contract.rejects.source is 'file';
comment on column contract.rejects.source_line is 'line or row in that file, from 1';
comment on column contract.rejects.reason is 'why, in a few words';
comment on column contract.rejects.excerpt is 'the first 200 characters';

create or replace table contract.spans (
    trace_id varchar, span_id varchar, parent_span_id varchar, name varchar,
    start timestamptz, "end" timestamptz, duration_ms double, status varchar, error_type varchar,
    attributes map(varchar, varchar), resource map(varchar, varchar),
    events struct(name varchar, attributes map(varchar, varchar))[],
    source varchar, source_line bigint, flags varchar[]
);
comment on table contract.spans is 'one row per span of a trace format, before recalls are picked; key (trace_id, span_id)';
comment on column contract.spans.trace_id is 'lower hex where it is 16 bytes, else as logged';
comment on column contract.spans.span_id is 'lower hex where it is 8 bytes, else as logged';
comment on column contract.spans.parent_span_id is 'null = root; may name a span that is in no file (orphan)';
comment on column contract.spans.start is 'UTC, microseconds';
comment on column contract.spans."end" is 'UTC, microseconds; null = not logged';
comment on column contract.spans.duration_ms is 'end - start, to the nanosecond where the format has it; null where it is missing or negative';
comment on column contract.spans.status is 'ok | error';
comment on column contract.spans.error_type is 'exception type or message, as logged';
comment on column contract.spans.attributes is 'attribute values as text; lists and objects as plain JSON';
comment on column contract.spans.resource is 'the resource''s attributes, the same way';
comment on column contract.spans.events is 'span events, in order';
comment on column contract.spans.source is 'file';
comment on column contract.spans.source_line is 'record (text) or row (Parquet) it came in, from 1';
comment on column contract.spans.flags is 'each repair or doubt, by name';
