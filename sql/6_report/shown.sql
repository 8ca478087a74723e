-- shown_lists, shown_documents -> shown: what a log without labels says of its lists, over everything and by window.
-- Out:  n: recalls without error · mean_length, max_length: documents · empty_share, repeated_share: of the lists · top_score, margin (of the first
--       two): means, null = not logged · of the chosen queries' first opt_answer_depth(): n_queries, n_documents (other ones), top_share = share of
--       the slots that the ten most shown documents fill, effective_documents = 1 / sum of squared shares, as if so many filled them evenly
-- Key:  window (null = everything)
create or replace view shown as
with lists as (
    select if(by_window, window_start, '-infinity') as window_start, sum(n)::bigint as n, sum(length * n) / sum(n) as mean_length, max(length) as max_length,
        coalesce(sum(n) filter (length = 0), 0) / sum(n) as empty_share, sum(n_repeats) / sum(n) as repeated_share,
        sum(top)::double / nullif(sum(n_top), 0) as top_score, sum(margin)::double / nullif(sum(n_margin), 0) as margin
    from shown_lists cross join levels group by all
),
chosen as (
    select day, query from (select distinct day, query from shown_documents)
    qualify row_number() over (partition by day order by query) <= opt_shown_queries()
),
filled as (
    select if(by_window, window_start, '-infinity') as window_start, document_id, sum(n)::bigint as n
    from shown_documents inner join chosen using (day, query) cross join levels group by all
),
shares as (
    select *, n / sum(n) over (partition by window_start) as share, row_number() over (partition by window_start order by n desc, document_id) as place from filled
),
documents as (
    select window_start, count(*) as n_documents, fine_sum(if(place <= 10, share, null)) as top_share, 1 / fine_sum(share * share) as effective_documents
    from shares group by window_start
),
queries as (
    select if(by_window, window_start, '-infinity') as window_start, count(distinct query) as n_queries
    from shown_documents inner join chosen using (day, query) cross join levels group by all
)
select nullif(l.window_start, '-infinity') as "window", l.* exclude (window_start), q.n_queries, d.n_documents, d.top_share, d.effective_documents
from lists as l left join documents as d using (window_start) left join queries as q using (window_start)
order by l.window_start;
