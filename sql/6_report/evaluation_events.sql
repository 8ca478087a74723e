-- scored_events -> evaluation_events: one row a labelled recall and metric, as the gen_ai.evaluation.result event of the GenAI convention wants it.
-- In:   scored_events: keyed_recalls with label_no, label_from, and scores double[] in the order of metric_columns
-- Out:  trace_id, span_id (null = not logged or not as a trace has them), name (metric@k), value ratio 0..1,
--       label: full (1), none (0), partial: few words, so that a backend can count them · explanation: why it is below 1
-- Key:  (event_id, UTC day, position) · Order: by time, event, metric
-- Edge: a value that is in no mean (null) is no event · up to five missed ids are named, a relevant document beyond rank k counts as missed
-- Source: github.com/open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml
create or replace view evaluation_events as
with
missed as (
    select s.*, c.position, c.metric, c.k, s.scores[c.position] as value,
        list_filter(list_transform(list_filter(q.label.documents, lambda d: d.is_relevant), lambda d: d.document_id),
            lambda d: coalesce(list_position(s.judged_ids, d), 0) = 0 or list_position(s.judged_ids, d) > coalesce(c.k, len(s.judged_ids))) as missed_ids
    from scored_events as s cross join metric_columns as c inner join label_periods as q using (label_no, label_from)
)
select event_id, "timestamp", if(regexp_full_match(trace_id, '[0-9a-f]{32}') and trace_id <> repeat('0', 32), trace_id, null) as trace_id,
    if(regexp_full_match(span_id, '[0-9a-f]{16}') and span_id <> repeat('0', 16), span_id, null) as span_id,
    metric || coalesce('@' || k, '') as name, value, case when value >= 1 then 'full' when value <= 0 then 'none' else 'partial' end as label,
    case
        when value >= 1 then null
        when status = 'error' then 'the recall failed'
        when len(missed_ids) > 0 then 'missed ' || array_to_string(missed_ids[1:5], ', ') || if(len(missed_ids) > 5, ' and ' || (len(missed_ids) - 5) || ' more', '')
    end as explanation,
    query_id, tenant_id, query_class
from missed where value is not null
order by "timestamp", event_id, position;
