-- metrics -> kind_metrics: with the number of labelled queries of each kind that a mean rests on; run only where a query's label is no human's.
-- In:   view metrics, or matched_metrics where texts decide relevance too (kinds_of()), quality_sums, slice_segments, labelled_queries
-- Out:  kinds: kind -> labelled queries asked in the window and segment · kinds_asked: the same over everything, with the judge's name
-- Key:  kind_metrics: as metrics · kinds_asked (kind, judge)
create or replace view kinds_asked as
select kind, judge, count(*) as n_queries from (select q.kind, l.judge
from labelled_queries as q left join (select query_key, tenant_id, kind, string_agg(distinct judge, ', ' order by judge) as judge from label_rows group by all) as l
    on l.query_key = q.query_key and l.kind = q.kind and l.tenant_id is not distinct from q.tenant_id
where q.label_no in (select label_no from labels_asked))
group by kind, judge order by list_position(label_kinds(), kind), judge nulls first;

create or replace table segment_kinds as
with asked as (
    select if(l.by_window, s.window_start, '-infinity') as window_start, g.segment_no, q.kind, count(distinct s.label_no) as n
    from quality_sums as s inner join slice_segments as g using (slice_no) inner join labelled_queries as q using (label_no) cross join levels as l
    group by all
)
select nullif(a.window_start, '-infinity') as "window", s.segment, map_from_entries(list({'key': a.kind, 'value': a.n} order by list_position(label_kinds(), a.kind))) as kinds
from asked as a inner join segments as s using (segment_no) group by all;

create or replace view kind_metrics as
select m.* exclude (place), k.kinds
from (select *, row_number() over () as place from query_table(kinds_of())) as m
left join segment_kinds as k on k."window" is not distinct from m."window" and k.segment = m.segment
order by place;
