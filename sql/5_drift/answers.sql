-- held_answered, held_answers x answer_pairs -> answer_measures: how far the answers to the same queries are from what they were.
-- In:   held_answered, held_answers (rows of state_answers.sql); answer_pairs(pair_no, side, unit_no, day_no): a window against the windows before it
--       (side reference or current; unit_no: the window a day belongs to); opt_kappa()
-- Let p(d) be the share of a query's recalls on one side whose first ranks hold d, and length = sum of p(d), its mean list.
-- Out:  overlap = sum w S; S = sum of p_reference(d) p_current(d) / the larger length: what two random lists, one of each side, have in common.
--       w = h / (h + kappa) x (S of the reference with itself, over pairs of different recalls)^2, normed, h = n1 n2 / (n1 + n2): a query that the
--       retriever answers at random says nothing. change = S less the same within each side, over pairs of different recalls.
--       gone: of the part of the reference's lists filled by documents that three of its windows or more showed for these queries, the share of those that
--       none shows now, each weighted by its certainty: how unlikely chance alone hides it, by the windows that showed it and the recalls expected to show it now;
--       new: share of the current lists filled by documents that no reference window showed to anybody;
--       of the pair answer_judged() alone: overlap_se, gone_se, new_se: standard errors were questions (of any tenant) drawn anew; overlap_n, gone_n, new_n: how many equally weighted ones they are like;
--       length, top_score, margin: weighted means
--       on both sides; concentration: sum of squared shares of the documents; n_traffic: current recalls of the queries that are on both sides
-- Key:  answer_measures (pair_no) · answer_queries (pair_no, query)
-- Edge: a mean certainty under a fifth of the largest counts as a fifth of it: the change of a query or two is no hole · both sides always empty -> S = 1 · a query without a second recall on one side: change takes the other side's alone; on none: null, and the
--       steadiness of the others stands for its own · no query is steady: h alone weighs
create or replace view answer_sides as
with chosen as (
    select day_no, query from (select distinct day_no, query from held_answered where day_no in (select day_no from answer_pairs))
    qualify row_number() over (partition by day_no order by query) <= opt_answer_queries()
)
select p.pair_no, query, coalesce(sum(a.n) filter (side = 'reference'), 0)::bigint as n_r, coalesce(sum(a.n) filter (side = 'current'), 0)::bigint as n_c,
    sum(top) filter (side = 'reference')::double / nullif(sum(n_top) filter (side = 'reference'), 0) as top_r,
    sum(top) filter (side = 'current')::double / nullif(sum(n_top) filter (side = 'current'), 0) as top_c,
    sum(margin) filter (side = 'reference')::double / nullif(sum(n_margin) filter (side = 'reference'), 0) as margin_r,
    sum(margin) filter (side = 'current')::double / nullif(sum(n_margin) filter (side = 'current'), 0) as margin_c
from answer_pairs as p inner join held_answered as a using (day_no) inner join chosen using (day_no, query)
group by p.pair_no, query;

create or replace table answer_documents as
select p.pair_no, query, document_id, coalesce(sum(n) filter (side = 'reference'), 0)::bigint as d_r, coalesce(sum(n) filter (side = 'current'), 0)::bigint as d_c,
    coalesce(sum(sum_rank) filter (side = 'reference'), 0)::bigint as rank_r, coalesce(sum(sum_rank) filter (side = 'current'), 0)::bigint as rank_c,
    list(distinct unit_no) filter (side = 'reference') as units
from answer_pairs as p inner join held_answers using (day_no) group by p.pair_no, query, document_id;

create or replace table answer_queries as
with sums as (
    select pair_no, query, sum(d_r::hugeint * d_c) as both_sides, sum(d_r)::bigint as slots_r, sum(d_c)::bigint as slots_c,
        sum(d_r::hugeint * (d_r - 1)) as pairs_r, sum(d_c::hugeint * (d_c - 1)) as pairs_c
    from answer_documents group by pair_no, query
),
lists as (
    select q.*, coalesce(slots_r, 0) / n_r as length_r, coalesce(slots_c, 0) / n_c as length_c, coalesce(both_sides, 0) as both_sides, pairs_r, pairs_c
    from answer_sides as q left join sums using (pair_no, query) where n_r > 0 and n_c > 0
),
alike as (
    select *, if(length_r = 0 and length_c = 0, 1.0, both_sides::double / (n_r::hugeint * n_c)::double / greatest(length_r, length_c)) as s,
        if(n_r > 1, if(length_r = 0, 1.0, pairs_r::double / (n_r::hugeint * (n_r - 1))::double / length_r), null) as self_r,
        if(n_c > 1, if(length_c = 0, 1.0, pairs_c::double / (n_c::hugeint * (n_c - 1))::double / length_c), null) as self_c
    from lists
),
weighed as (
    select *, s - (coalesce(self_r, self_c) + coalesce(self_c, self_r)) / 2 as change, (n_r * n_c)::double / (n_r + n_c) as h,
        h / (h + opt_kappa()) * coalesce(self_r * self_r, sum((self_r * self_r)::decimal(38, 24)) over own::double / count(self_r) over own, 1) as weight
    from alike window own as (partition by pair_no)
)
select *, coalesce(weight / nullif(sum(weight::decimal(38, 24)) over (partition by pair_no)::double, 0), h / sum(h::decimal(38, 24)) over (partition by pair_no)::double) as w
from weighed;

-- 0..1: shown by every window before, and by eight recalls or more now if its queries got what they got
create or replace macro certainty(window_share, n_expected) as power(window_share * (1 - exp(-n_expected / 8)), 4);

create or replace table answer_shares as
with windows as (select pair_no, count(distinct unit_no) as n_units from answer_pairs where side = 'reference' group by pair_no),
expected as (
    select pair_no, document_id, fine_sum(w * d_r / n_r) as e_r, fine_sum(w * d_c / n_c) as e_c, fine_sum(n_c * d_r / n_r) as n_expected, sum(d_r)::bigint as shown_r, sum(d_c)::bigint as shown_c,
        count(*) filter (d_r > 0) as n_queries, len(list_distinct(flatten(list(units)))) as n_windows
    from answer_documents inner join answer_queries using (pair_no, query) group by pair_no, document_id
),
ever as (select pair_no, document_id, sum(d_r) > 0 as is_old from answer_documents group by pair_no, document_id)
select e.*, coalesce(e_r / nullif(sum(e_r::decimal(38, 24)) over (partition by pair_no)::double, 0), 0) as share_r,
    coalesce(e_c / nullif(sum(e_c::decimal(38, 24)) over (partition by pair_no)::double, 0), 0) as share_c,
    n_windows >= 3 as is_usual, n_windows >= 3 and shown_c = 0 as is_gone, not is_old as is_new, n_units, certainty(n_windows / n_units, n_expected) as certain
from expected as e inner join ever using (pair_no, document_id) inner join windows using (pair_no);

create or replace table answer_measures as
with queries as (
    select pair_no, count(*) as n_queries, 1 / fine_sum(w * w) as effective, 1 - fine_sum(w * (1 - s)) as overlap,
        fine_sum(w * length_r) as length_r, fine_sum(w * length_c) as length_c, sum(n_c)::bigint as n_traffic
    from answer_queries group by pair_no
),
scores as (  -- over the queries that have the score on both sides: one row a query and score
    select pair_no, 'top' as kind, w, top_r as r, top_c as c from answer_queries where top_r is not null and top_c is not null
    union all
    select pair_no, 'margin', w, margin_r, margin_c from answer_queries where margin_r is not null and margin_c is not null
),
means as (select pair_no, kind, nullif(fine_sum(w), 0) as total, fine_sum(w * r) / total as r, fine_sum(w * c) / total as c from scores group by pair_no, kind),
spreads as (
    select m.pair_no, m.kind, any_value(m.r) as r, any_value(m.c) as c, sqrt(fine_sum(w * power(s.r - m.r, 2)) / any_value(m.total)) as sd
    from means as m inner join scores as s using (pair_no, kind) group by m.pair_no, m.kind
),
documents as (
    select pair_no, coalesce(fine_sum(if(is_gone, share_r * certain, null)) / nullif(greatest(fine_sum(if(is_usual, share_r * certain, null)), fine_sum(if(is_usual, share_r, null)) * max(if(is_usual, certain, null)) / 5), 0), 0) as gone, count(*) filter (is_gone) as n_gone, count(*) filter (is_usual) as n_usual,
        coalesce(fine_sum(if(is_new, share_c, null)), 0) as new, count(*) filter (is_new and shown_c > 0) as n_new,
        nullif(fine_sum(share_r * share_r), 0) as concentration_r, nullif(fine_sum(share_c * share_c), 0) as concentration_c  -- lists without a document have none
    from answer_shares group by pair_no
),
asked as (select query, min(coalesce(query_id, query_text)) as asked from held_answered group by query),  -- the same question of many tenants is one: its lists change together
-- of the current window alone, whose change is tested: what stands in the spread over questions
shares as (  -- of each question: its part of the weights, of what certainly would be shown again, and of what is shown; and of the overlap, of what is gone, of what is new
    select pair_no, asked, fine_sum(if(is_usual, w * d_r / n_r * certain, 0)) as at_risk, fine_sum(if(is_gone, w * d_r / n_r * certain, 0)) as lost,
        fine_sum(w * d_c / n_c) as shown, fine_sum(if(is_new, w * d_c / n_c, 0)) as gained
    from answer_shares inner join answer_documents using (pair_no, document_id) inner join answer_queries using (pair_no, query) inner join asked using (query)
    where pair_no = answer_judged() group by pair_no, asked
),
parts as (
    select pair_no, asked, at_risk / nullif(sum(at_risk::decimal(38, 24)) over pair::double, 0) as at_risk, lost / nullif(sum(lost::decimal(38, 24)) over pair::double, 0) as lost,
        shown / nullif(sum(shown::decimal(38, 24)) over pair::double, 0) as shown, gained / nullif(sum(gained::decimal(38, 24)) over pair::double, 0) as gained
    from shares window pair as (partition by pair_no)
),
alike as (select pair_no, asked, fine_sum(w) as weight, fine_sum(w * s) as own from answer_queries inner join asked using (query) where pair_no = answer_judged() group by pair_no, asked),
spread as (  -- standard errors were questions drawn anew, a share of the mean but for the overlap; how many equally weighted ones they are like
    select pair_no, sqrt(fine_sum(power(own - weight * overlap, 2))) as overlap_se, 1 / fine_sum(weight * weight) as overlap_n
    from alike inner join (select pair_no, overlap from queries) using (pair_no) group by pair_no
),
moves as (
    select pair_no, sqrt(fine_sum(power(lost - at_risk, 2))) as gone_spread, 1 / nullif(fine_sum(at_risk * at_risk), 0) as gone_n,
        sqrt(fine_sum(power(gained - shown, 2))) as new_spread, 1 / nullif(fine_sum(shown * shown), 0) as new_n
    from parts group by pair_no
)
select q.*, d.* exclude (pair_no), overlap_se, overlap_n, gone * gone_spread as gone_se, gone_n, new * new_spread as new_se, new_n, t.r as top_r, t.c as top_c, t.sd as top_sd, g.r as margin_r, g.c as margin_c, g.sd as margin_sd
from queries as q left join documents as d using (pair_no) left join moves using (pair_no) left join spread using (pair_no)
left join spreads as t on t.pair_no = q.pair_no and t.kind = 'top' left join spreads as g on g.pair_no = q.pair_no and g.kind = 'margin';
