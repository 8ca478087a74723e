-- labels -> judge_agreement: how a judge's labels agree with humans' on the same documents, by query class and before and since a date; moved_judges.
-- In:   labels (contract.labels), query_key(), judged_grade() of 2_judge/labels.sql; opt_since(): timestamptz or null
-- Key:  judge_agreement (judge, is_since, query_class); query_class null = all of them
-- Out:  n documents both judged; sensitivity = share of what humans call relevant that the judge does, specificity = share of what they call not relevant
--       that it does (with Wilson's 95 % intervals); kappa with its interval · moved_judges: those whose sensitivity or specificity differs before and since
--       by a two-sided test of two shares at .01: their labels since then are taken out of labels
-- Edge: a document that several humans, or runs of one judge, judged: most of them (a tie: relevant) · one side has no such document -> null
-- Source: Cohen 1960, doi 10.1177/001316446002000104; its variance: Fleiss, Cohen & Everitt 1969, doi 10.1037/h0028106, eq. 12 in its large-sample form;
--       two shares: pooled z, Fleiss 1981, Statistical Methods for Rates and Proportions, 2.1
create or replace macro label_says(grade, is_relevant) as coalesce(is_relevant, is_relevant_grade(judged_grade(grade, is_relevant)));

create or replace table judged_twice as
with
said as (
    select tenant_id, query_key(query_id, query_text) as query_key, document_id, kind, if(kind = 'judge', coalesce(judge, '(no name)'), null) as judge,
        kind = 'judge' and coalesce(judged_at >= opt_since(), false) as is_since, min(query_class) as query_class,
        avg(label_says(grade, is_relevant)::integer) >= .5 as is_relevant
    from labels where document_id is not null and kind in ('human', 'judge') group by all
)
select j.judge, j.is_since, coalesce(h.query_class, j.query_class) as query_class, h.is_relevant as by_human, j.is_relevant as by_judge
from said as j inner join said as h
    on h.kind = 'human' and h.query_key = j.query_key and h.document_id = j.document_id and h.tenant_id is not distinct from j.tenant_id
where j.kind = 'judge';

create or replace table judge_agreement as
with
cells as (
    select judge, is_since, query_class, count(*) as n, count(*) filter (by_human and by_judge) as hits, count(*) filter (by_human) as human, count(*) filter (by_judge) as judged
    from judged_twice group by grouping sets ((judge, is_since), (judge, is_since, query_class))
    having grouping(query_class) = 1 or query_class is not null
),
shares as (
    select *, n - human as not_human, n - human - judged + hits as neither, hits / nullif(human, 0) as sensitivity, neither / nullif(not_human, 0) as specificity,
        (hits + neither) / n as agreed, (human / n) * (judged / n) + (1 - human / n) * (1 - judged / n) as by_chance
    from cells
)
select judge, is_since, query_class, n, human as n_relevant, sensitivity,
    if(human > 0, wilson_mid(sensitivity, human) - wilson_half(sensitivity, human), null) as sensitivity_low, if(human > 0, wilson_mid(sensitivity, human) + wilson_half(sensitivity, human), null) as sensitivity_high,
    specificity, if(not_human > 0, wilson_mid(specificity, not_human) - wilson_half(specificity, not_human), null) as specificity_low,
    if(not_human > 0, wilson_mid(specificity, not_human) + wilson_half(specificity, not_human), null) as specificity_high,
    (agreed - by_chance) / nullif(1 - by_chance, 0) as kappa,
    1.959963984540054 * sqrt(agreed * (1 - agreed) / n) / nullif(1 - by_chance, 0) as kappa_half
from shares order by judge, is_since, query_class nulls first;

create or replace macro two_shares_z(x, n, y, m) as (x / n - y / m) / nullif(sqrt(((x + y) / (n + m)) * (1 - (x + y) / (n + m)) * (1 / n + 1 / m)), 0);
create or replace table moved_judges as
select judge, b.sensitivity as sensitivity_before, s.sensitivity as sensitivity_since, b.specificity as specificity_before, s.specificity as specificity_since,
    abs(two_shares_z(b.specificity * (b.n - b.n_relevant), b.n - b.n_relevant, s.specificity * (s.n - s.n_relevant), s.n - s.n_relevant)) > 2.5758293035489004 as is_specificity,
    abs(two_shares_z(b.sensitivity * b.n_relevant, b.n_relevant, s.sensitivity * s.n_relevant, s.n_relevant)) > 2.5758293035489004 as is_sensitivity
from (from judge_agreement where query_class is null and not is_since) as b
inner join (from judge_agreement where query_class is null and is_since) as s using (judge)
where coalesce(is_specificity, false) or coalesce(is_sensitivity, false)
order by judge;

delete from labels where kind = 'judge' and coalesce(judged_at >= opt_since(), false) and coalesce(judge, '(no name)') in (select judge from moved_judges);
