-- A list that was handed out as the answer to its query: what can be said of it without a label.
-- answer_query(tenant_id, query_id, query_text): the query as a number that is the same on every machine; null = an event without a query.
--   Queries are the same by id, else by text (normal_text of labels.sql), within one tenant.
-- answer_of(ids): the first opt_answer_depth() documents, each once, with its rank. chosen_of(query): which queries are kept, the smallest
--   opt_answer_queries() of a day: of any part of a day these are among the smallest of the part, so parts merge and are cut again.
create or replace macro answer_query(tenant_id, query_id, query_text) as
    if(query_id is null and query_text is null, null, hash(coalesce('i' || query_id, 't' || normal_text(query_text)), coalesce('n' || tenant_id, '')));
create or replace macro answer_of(ids) as
    list_transform(list_distinct(list_filter(ids[1:opt_answer_depth()], lambda d: d is not null)), lambda d: {'document_id': d, 'rank': list_position(ids, d)});
