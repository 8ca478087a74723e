-- set_map_at_k(judged, k): precision times recall of what was returned as a set.
-- In:   judged: struct of 2_judge/judge.sql; k: integer >= 1, null = whole list
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing returned, or nothing found -> 0 · no relevant label, or not labelled -> null
-- Source: trec_eval m_set_map.c
create or replace macro set_map_at_k(judged, k) as recall_at_k(judged, k) * precision_returned_at_k(judged, k);
