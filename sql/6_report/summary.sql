-- The counts block, coverage and the answered block of a result, one row each.
-- coverage.relevant_returned is a share of the first k ranks (k: the deepest one asked for; null = the whole list)
create or replace table labelled_counts as
select coalesce(sum(n_events), 0)::bigint as labelled_events, (select count(*) from labels_asked) as queries_seen,
    coalesce(sum(n_unscorable), 0)::bigint as unscorable_labelled, coalesce(sum(n_repeats), 0)::bigint as repeats,
    coalesce(sum(n_out_of_order), 0)::bigint as out_of_order,
    coalesce(sum(n_broken_scores), 0)::bigint as broken_scores
from quality_sums;

create or replace view counts as
select e.*, l.labelled_events, coalesce(u.n, e.events) - l.labelled_events as unlabelled_events, l.repeats as events_with_duplicate_ids,
    l.out_of_order as events_with_scores_out_of_order, l.broken_scores as events_score_invalid, (select count(*) from labelled_queries) as labelled_queries, l.queries_seen,
    (select count(*) from labelled_queries) - l.queries_seen as queries_missing,
    (select count(*) from labelled_queries where label.n_relevant = 0 and not is_answer_only) as queries_without_relevant
from (
    select sum(n_events)::bigint as events, any_value(n_unscorable)::bigint as unscorable_events, any_value(n_empty)::bigint as empty_rankings,
        sum(n_errors)::bigint as error_events, any_value(n_null_ids)::bigint as events_with_null_ids, sum(n_without_time)::bigint as events_without_timestamp, sum(n_shared_texts)::bigint as events_of_shared_texts,
        min(first_at) as first_at, max(last_at) as last_at
    from event_sums cross join list_counts) as e
cross join labelled_counts as l cross join asking_counts as u;

create or replace view coverage as
select c.queries_seen / nullif(c.labelled_queries, 0) as queries_asked, c.labelled_events / nullif(coalesce(u.n, c.events), 0) as traffic_labelled,
    (select count(*) from found_documents where opt_max_k() is null or best_rank <= opt_max_k())
        / nullif((select sum(label.n_relevant) from labelled_queries), 0) as relevant_returned, opt_max_k() as k
from counts as c cross join asking_counts as u;

-- no-answer queries (labelled: nothing is right; not those whose documents are all judged not relevant): how often nothing came back, and how often something did (a false answer)
create or replace view answered as
select coalesce(sum(n_events) filter (is_no_answer), 0)::bigint as no_answer_events, count(distinct label_no) filter (is_no_answer) as no_answer_queries,
    sum(n_empty) filter (is_no_answer) / nullif(sum(n_events) filter (is_no_answer), 0) as correctly_empty,
    1 - sum(n_empty) filter (is_no_answer) / nullif(sum(n_events) filter (is_no_answer), 0) as false_answer,
    sum(n_empty) filter (is_answerable) / nullif(sum(n_events) filter (is_answerable), 0) as answerable_but_empty
from quality_sums inner join (select label_no, label_from, is_no_answer, label.n_relevant > 0 or n_gains(label) > 0 as is_answerable from label_periods where not is_answer_only) using (label_no, label_from)
where not is_error;
