-- mapped_sums -> merged_questions: what questions.sql adds to the sums of several sources, as if they were one; beside merge.sql.
-- In:   mapped_sums (merge.sql), with the tables of questions.sql among them · No question is in two sources
create or replace table merged_questions as
select rw_table, by_values, window_start, figure_no, figure, hop, value from mapped_sums where rw_table = 'question_values'
union all by name
select rw_table, by_values, sum(n)::bigint as n, sum(n_alone)::bigint as n_alone from mapped_sums where rw_table = 'asking_sums' group by all;
