-- match_sums -> matched: beside the numbers of each window and segment, what they were judged by; and metrics with what stands beside each.
-- In:   match_sums, levels, slice_segments, segments, metrics · Key of matched: (window, segment, strategy, k); strategy '' = none could be tried
-- Out:  share = of the labelled events, judged by the strategy, ratio 0..1; n_relevant, n_found, n_exact over those
create or replace table match_groups as
select if(by_window, window_start, '-infinity') as window_start, segment_no, strategy, k,
    sum(n_events)::bigint as n_events, sum(n_relevant)::bigint as n_relevant, sum(n_found)::bigint as n_found, sum(n_exact)::bigint as n_exact
from match_sums inner join slice_segments using (slice_no) cross join levels
where not (by_window and window_start is null)
group by all;

create or replace view matched as
select nullif(g.window_start, '-infinity') as "window", s.segment, g.strategy, g.k, g.n_events,
    g.n_events::double / sum(g.n_events) over (partition by g.window_start, g.segment_no, g.k) as share, g.n_relevant, g.n_found, g.n_exact
from match_groups as g inner join segments as s using (segment_no)
order by g.window_start, g.segment_no, g.k nulls last, list_position(opt_match(), g.strategy) = 0, list_position(opt_match(), g.strategy);

create or replace view matched_metrics as
with beside as (select "window", segment, k, sum(n_found)::bigint as n_found, sum(n_exact)::bigint as n_exact from matched group by all)
select m.*, coalesce(b.n_found, 0) as relevant_found, coalesce(b.n_exact, 0) as exact_found
from metrics as m
inner join segments as s on s.segment = m.segment
inner join metric_columns as c on c.metric = m.metric and c.k is not distinct from m.k
left join beside as b on b."window" is not distinct from m."window" and b.segment = m.segment and b.k is not distinct from m.k
order by m."window" nulls first, s.segment_no, c.position;

-- expected texts without a token: they can never match
create or replace view wordless as
select coalesce(query_id, query_text) as query, t.document_id as document_id
from (select query_id, query_text, label_no, unnest(texts) as t from labelled_queries where not by_id_only())
where not regexp_matches(folded(t.text), '[\p{L}\p{M}\p{N}\p{Pc}]')
order by label_no, document_id;
