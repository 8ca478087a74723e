-- funnel_recalls x label_periods -> funnel_sums: at which stage relevant documents are lost; merges by SUM, of position MIN.
-- In:   funnel_recalls: columns of recalls, and day_no, h, side; funnel_k(); 1_normalise/stage_lists.sql
--       funnel_source: of each labelled recall that logs a list before its own the relevant ids, and its lists in the order of the stages, the last two
--       `returned` (all that was handed out) and `first k`
-- Out:  n recalls that log the stage, sum_length, sum_recall: share of the relevant documents in its list; sum_lost: share that the stage lost, near: how many
--       of these documents stood within twice the length of its list; the stage `search` at position 0 lost those that are in no list
-- Key:  (day_no, h, side, stage)
-- Edge: failed recalls handed nothing out, and are left out · a document in the lists of stages up to the i-th is lost by the next stage that only narrows: its list of that recall holds no id that none
--       before it held. A second retriever beside the first brings ids of its own, so it loses nothing · the last two stages always narrow
create or replace macro held_at(lists, id) as coalesce(list_max(list_transform(lists, lambda hl, hi: if(list_contains(hl.ids, id), hi, 0))), 0);
create or replace macro is_narrowing(lists, place) as place > len(lists) - 2
    or place > 1 and list_has_all(flatten(list_transform(lists[1:place - 1], lambda nl: nl.ids)), list_filter(lists[place].ids, lambda nd: nd is not null));

create or replace view funnel_source as
select day_no, h, side, list_transform(list_filter(label.documents, lambda d: d.is_relevant), lambda d: d.document_id) as relevant,
    list_concat(lists, [{'stage': 'returned', 'ids': judged_ids, 'scores': null::double[]}, {'stage': 'first k', 'ids': judged_ids[1:funnel_k()], 'scores': null::double[]}]) as lists
from (
    select r.day_no, r.h, r.side, r.judged_ids, q.label, funnel_lists(r.attributes, r.candidate_ids) as lists
    from funnel_recalls as r inner join label_periods as q using (label_no, label_from)
    where r.is_scorable and r.status is distinct from 'error' and r.candidate_ids is not null
)
where len(lists) > 0;

create or replace table funnel_sums as
with narrowed as (
    select *, list_filter(range(1, len(lists) + 1), lambda n: is_narrowing(lists, n)) as narrowing from funnel_source where len(relevant) > 0
),
placed as (
    select day_no, h, side, len(relevant) as n_relevant, lists, relevant,
        list_transform(relevant, lambda d: {'held': held_at(lists, d), 'lost': if(held_at(lists, d) = 0, 0, list_filter(narrowing, lambda n: n > held_at(lists, d))[1]),
            'rank': list_position(lists[held_at(lists, d)].ids, d)}) as places
    from narrowed
),
steps as (
    select day_no, h, side, 0 as position, 'search' as stage, null::bigint as length, null::double as recall,
        len(list_filter(places, lambda p: p.lost = 0)) / n_relevant::double as lost, 0 as near
    from placed
    union all
    select day_no, h, side, step, lists[step].stage, len(lists[step].ids), len(list_intersect(relevant, lists[step].ids)) / n_relevant::double,
        len(list_filter(places, lambda p: p.lost = step)) / n_relevant::double,
        len(list_filter(places, lambda p: p.lost = step and p.rank <= 2 * len(lists[step].ids)))
    from (select *, unnest(range(1, len(lists) + 1)) as step from placed)
)
select day_no, h, side, stage, min(position)::integer as position, count(*)::bigint as n, sum(length)::bigint as sum_length,
    sum(recall::decimal(18, 12)) as sum_recall, sum(lost::decimal(18, 12)) as sum_lost, sum(near)::bigint as near
from steps group by day_no, h, side, stage;
