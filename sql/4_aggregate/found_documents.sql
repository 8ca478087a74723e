-- found_sums -> found_documents, example_sums -> query_examples: over everything.
-- Key: (label_no, document_id); label_no
create or replace table found_documents as
select label_no, document_id, sum(n_found)::bigint as n_found, min(best_rank) as best_rank, max(worst_rank) as worst_rank, sum(sum_rank)::bigint as sum_rank
from found_sums group by all;

create or replace table query_examples as
select l.label_no, t.trace_ids, e.event_ids
from (select distinct label_no from example_sums) as l
left join (select label_no, min(id, 3) as trace_ids from (select label_no, unnest(trace_ids) as id from example_sums) group by label_no) as t using (label_no)
left join (select label_no, min(id, 3) as event_ids from (select label_no, unnest(event_ids) as id from example_sums) group by label_no) as e using (label_no);
