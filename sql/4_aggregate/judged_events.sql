-- keyed_recalls -> judged_events: the labelled events, judged once, with what the read-outs need and nothing else.
-- In:   keyed_recalls · Key: the event's · Out: found = relevant documents and their ranks, by rank;
--       match_strategy, exact_ranks: null where opt_match() is id alone; answered, dated: null where no metric of answers, or of labels over time, is asked for
create or replace table judged_events as
select window_start, slice_no, label_no, label_from, event_id, trace_id, is_graded, is_scorable, status = 'error' as is_error, len(ranked_ids) = 0 as is_empty,
    least(coalesce(top_k, len(ranked_ids)), opt_depth()) as depth, judged,
    list_transform(list_filter(judged.hits, lambda h: h.is_relevant), lambda h: {'document_id': judged_ids[h.rank], 'rank': h.rank}) as found,
    has_repeats(ranked_ids) as has_repeat, is_out_of_order(scores) as is_out_of_order, list_contains(flags, 'score_invalid') as has_broken_score,
    match_strategy, exact_ranks, answered, dated, searched
from keyed_recalls where is_labelled;
