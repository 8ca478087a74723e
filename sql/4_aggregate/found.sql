-- recalls -> found_documents (map: per query and relevant document, how often it came back and its best rank; merges by SUM, MIN)
--        and query_examples: up to three event and trace ids a query, the smallest ones.
create or replace table found_documents as
select label_no, document_id, count(*) as n_found, min(rank) as best_rank, max(rank) as worst_rank, sum(rank)::bigint as sum_rank
from (
    select label_no, unnest(list_transform(list_filter(judged.hits, lambda h: h.is_relevant), lambda h: {'document_id': judged_ids[h.rank], 'rank': h.rank}), recursive := true)
    from recalls where is_labelled and status <> 'error'
)
group by all;

create or replace table query_examples as
select label_no, min(trace_id, 3) as trace_ids, min(event_id, 3) as event_ids
from recalls where is_labelled group by label_no;
