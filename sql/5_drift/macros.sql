-- What the drift states need beyond the metrics of 3_score.
-- drift_bucket(ms): log bucket, gamma 1.01, as in 4_aggregate/latency_map.sql: a quantile read from it is off by less than 0.5 %.
--       0 is a time: what is under 1 µs is all in the bucket of 1 µs
-- judged_nonrelevant_at_k(judged, k): share of the first k slots that hold no relevant document and yet have a label.
-- Edge: no such slot (empty ranking, all relevant) -> null · plain judged@k falls whenever relevant documents are lost and would
--       blame the labels; this one moves only when the judged share of the rest does
create or replace macro drift_bucket(ms) as floor(ln(greatest(ms, 0.001)) / ln(1.01::double))::integer;
create or replace macro judged_nonrelevant_at_k(judged, k) as
    len(list_filter(judged.hits, lambda h: not h.is_relevant and (k is null or h.rank <= k)))
    / nullif(least(coalesce(k, judged.n_ranked), judged.n_ranked) - len(list_filter(judged.hits, lambda h: h.is_relevant and (k is null or h.rank <= k))), 0);

-- a query as a cluster of repeats: a number that is the same on every machine; opt_drift_clusters() null = one each, else so many
create or replace macro opt_drift_clusters() as null::bigint;
create or replace macro drift_query(query_id, query_text, event_id) as hash(coalesce('i' || query_id, 't' || query_text, 'e' || event_id));
create or replace macro drift_cluster(query) as if(opt_drift_clusters() is null, query, query % opt_drift_clusters()::ubigint);

-- the hour that sums are kept by: opt_drift_by_day() = the first of its UTC day, where no window cuts through a day of its zone; else itself
create or replace macro opt_drift_by_day() as false;
create or replace macro drift_hour(h) as if(opt_drift_by_day(), h // 24 * 24, h);
