-- funnel_sums -> funnel: what each stage holds of the relevant documents, and what it loses.
-- Out:  n recalls, length: mean of the list, recall: share of the relevant documents in it, lost: share of all that this stage lost, near: documents lost that
--       stood within twice its length; means over recalls. recall of `first k`, and lost of all stages, sum up to 1
-- Key:  (side, stage), in the order of the stages
create or replace view funnel as
with merged as (
    select side, stage, min(position) as position, sum(n)::bigint as n, sum(sum_length)::bigint as length, sum(sum_recall) as recall, sum(sum_lost) as lost, sum(near)::bigint as near
    from funnel_sums group by side, stage
),
whole as (select side, sum(n) as n from funnel_sums where stage = 'search' group by side)
select m.side, m.stage, m.n, m.length / m.n::double as length, m.recall::double / m.n as recall, m.lost::double / w.n as lost, m.near
from merged as m inner join whole as w using (side)
order by m.side, m.position, m.stage;
