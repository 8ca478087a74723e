-- The tables of recall.duckdb that hold the last evaluation: filled from metrics, latency and queries of 6_report, by UTC day and over all.
-- Key:  metrics (window, segment, metric, k) · latency (window, segment, stage, cache) · queries (tenant_id, query_id or query_text)
-- Edge: day_utc is the day of a window, null = over everything; it is a date, so no reader's time zone moves it
create or replace table metrics (
    day_utc date, "window" timestamptz, segment map(varchar, varchar), metric varchar, k integer, value double, value_by_query double, value_without_errors double,
    attainable double, truncated boolean, n bigint, n_queries bigint, ci_low double, ci_high double
);
comment on table metrics is 'quality of the last evaluation, by UTC day and over everything';
comment on column metrics.day_utc is 'UTC day; null = everything';
comment on column metrics."window" is 'start of the window, UTC; null = everything';
comment on column metrics.segment is 'slice, column to value; empty = everything';
comment on column metrics.metric is 'name, as in recallwatch list metrics';
comment on column metrics.k is 'depth; null = whole list';
comment on column metrics.value is 'mean, ratio 0..1';
comment on column metrics.value_by_query is 'mean in which each query weighs the same, ratio 0..1';
comment on column metrics.value_without_errors is 'mean without events of status error; null = there are none';
comment on column metrics.attainable is 'the most these labels allow, ratio 0..1';
comment on column metrics.truncated is 'true = k is deeper than any logged list';
comment on column metrics.n is 'events in the mean';
comment on column metrics.n_queries is 'queries in the mean';
comment on column metrics.ci_low is '95 % interval, lower end; null = fewer than 5 effective queries';
comment on column metrics.ci_high is '95 % interval, upper end';

create or replace table latency (
    day_utc date, "window" timestamptz, segment map(varchar, varchar), stage varchar, cache varchar, n bigint, n_missing bigint, mean_ms double,
    p50_ms double, p95_ms double, p95_ci_low_ms double, p95_ci_high_ms double, p99_ms double, max_ms double, percentile varchar, basis varchar
);
comment on table latency is 'times of the last evaluation, by UTC day and over everything';
comment on column latency.day_utc is 'UTC day; null = everything';
comment on column latency."window" is 'start of the window, UTC; null = everything';
comment on column latency.segment is 'slice, column to value; empty = everything';
comment on column latency.stage is 'stage of a recall; total = the whole';
comment on column latency.cache is 'all | miss | hit';
comment on column latency.n is 'measured events';
comment on column latency.n_missing is 'events without this stage''s time';
comment on column latency.mean_ms is 'mean, ms';
comment on column latency.p50_ms is 'median, ms';
comment on column latency.p95_ms is '95th percentile, ms';
comment on column latency.p95_ci_low_ms is '95 % interval of p95, lower end, ms';
comment on column latency.p95_ci_high_ms is '95 % interval of p95, upper end, ms';
comment on column latency.p99_ms is '99th percentile, ms';
comment on column latency.max_ms is 'largest, ms';
comment on column latency.percentile is 'exact | histogram (relative error below 0.5 %)';
comment on column latency.basis is 'blocks the interval was made of';

create or replace table queries (
    tenant_id varchar, query_id varchar, query_text varchar, query_class varchar, n bigint, n_relevant integer, "values" map(varchar, double),
    missed_ids varchar[], found struct(document_id varchar, rank integer, n_found bigint)[], trace_ids varchar[], event_ids varchar[], pull double
);
comment on table queries is 'labelled queries of the last evaluation, over everything';
comment on column queries.tenant_id is 'tenant the label holds for; null = every';
comment on column queries.query_id is 'as labelled';
comment on column queries.query_text is 'as labelled, white space collapsed';
comment on column queries.query_class is 'as labelled';
comment on column queries.n is 'events';
comment on column queries.n_relevant is 'relevant documents; 0 = nothing is right';
comment on column queries."values" is 'metric@k to mean, ratio 0..1';
comment on column queries.missed_ids is 'relevant ids that no event returned';
comment on column queries.found is 'relevant ids with their best rank and how often they came back';
comment on column queries.trace_ids is 'up to three examples';
comment on column queries.event_ids is 'up to three examples';
comment on column queries.pull is 'by how much the query lowers the mean of the headline metric';

create or replace view missed as
select tenant_id, query_id, query_text, query_class, n, unnest(missed_ids) as document_id from queries;
comment on view missed is 'relevant ids that no event returned, one row each';
comment on column missed.tenant_id is 'tenant the label holds for; null = every';
comment on column missed.query_id is 'as labelled';
comment on column missed.query_text is 'as labelled';
comment on column missed.query_class is 'as labelled';
comment on column missed.n is 'events of the query';
comment on column missed.document_id is 'relevant id';

create or replace table sources (
    source varchar, log_format varchar, n_events bigint, n_rejects bigint, has_ids boolean, first_day_utc date, last_day_utc date,
    first_at timestamptz, last_at timestamptz, source_bytes bigint, stored_bytes bigint, part varchar
);
comment on table sources is 'committed log files';
comment on column sources.source is 'absolute path; the file itself may be gone';
comment on column sources.log_format is 'as in recallwatch list formats';
comment on column sources.n_events is 'events, deliveries of the same event and all';
comment on column sources.n_rejects is 'lines that could not become an event';
comment on column sources.has_ids is 'whether its events carry ids of their own';
comment on column sources.first_day_utc is 'UTC day of its first event';
comment on column sources.last_day_utc is 'UTC day of its last event';
comment on column sources.first_at is 'its first event, UTC';
comment on column sources.last_at is 'its last event, UTC';
comment on column sources.source_bytes is 'bytes of the log';
comment on column sources.stored_bytes is 'bytes in the store';
comment on column sources.part is 'file of the store';
