-- drift_events x drift_wanted -> state_answers, state_answered: what was handed out for which query, right or not; merge by SUM.
-- In:   drift_events, drift_wanted(day_no): the days that are summed; opt_answer_queries(), opt_answer_depth(); the macros of 2_judge/answers.sql
-- Out:  of the queries chosen of a day (the smallest numbers, 2_judge/answers.sql): state_answered, its recalls without error, with the score of
--       the first document and its lead on the second; state_answers, how many of them showed a document in the first ranks, and at which
-- Key:  state_answered (day_no, h, query) · state_answers (day_no, h, query, document_id)
-- Edge: nothing is kept of an event, nor of a recall without a query · a score beyond 1e28 is not counted
create or replace view answered_events as
select day_no, drift_hour(h) as h, answer_query(tenant_id, query_id, query_text) as query, query_id, query_text, tenant_id, query_class, ranked_ids,
    try_cast(scores[1] as decimal(38, 9)) as top, try_cast(scores[1] - scores[2] as decimal(38, 9)) as margin
from drift_events where not is_error and day_no in (select day_no from drift_wanted);

create or replace table answers_chosen as
select day_no, query from (select distinct day_no, query from answered_events where query is not null)
qualify row_number() over (partition by day_no order by query) <= opt_answer_queries();

create or replace table state_answered as
select day_no, h, query, min(query_id) as query_id, min(normal_text(query_text))[:200] as query_text, min(tenant_id) as tenant_id, min(query_class) as query_class,
    count(*) as n, count(top) as n_top, sum(top) as top, count(margin) as n_margin, sum(margin) as margin
from answered_events inner join answers_chosen using (day_no, query) group by day_no, h, query;

create or replace table state_answers as
select day_no, h, query, d.document_id as document_id, count(*) as n, sum(d.rank)::bigint as sum_rank
from (select day_no, h, query, unnest(answer_of(ranked_ids)) as d from answered_events inner join answers_chosen using (day_no, query))
group by all;
