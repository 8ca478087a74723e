-- held_cells x drift_sides -> cells: which value of a column or attribute, or pair of two, holds the loss of a metric.
-- In:   cell_sides(side, label_no, traits, n, s): sums of the metric (state_cells.sql); cell_sign(): 1, -1 where lower is better; opt_kappa()
-- Let d be a query's mean now less its mean before, over the recalls of the cell (inside) or over all others (outside), w = h / (h + kappa).
-- Out:  cells: effect = mean of d inside less outside, each weighted by w; se and df, if it made no difference which recalls are inside (then the d of
--       both are one sample, so their pooled variance counts) with the degrees of freedom of the smaller part, as a few extreme d
--       are no normal sample; before, after, other_before, other_after: means inside and outside; n_queries, effective: of the smaller part; share_of_change and
--       share_of_traffic of the recalls now; n_cells: twice the number of values (of a pair: of pairs) that were looked at. The guard multiplies p
--       by it: Bonferroni (Dunn 1961, doi 10.1080/01621459.1961.10482090), half of the level for values and half for pairs
-- Key:  cells (cell)
-- Edge: a value that was hardly used before (a tenth of its share now) is compared with the queries' recalls of any value · a pair is
--       measured where each of its values alone holds half of the loss and a tenth more of it than of the recalls; all pairs count in n_cells
create or replace table cell_sums as
select label_no, traits, coalesce(sum(n) filter (side = 'reference'), 0)::bigint as n_r, coalesce(sum(s) filter (side = 'reference'), 0) as s_r,
    coalesce(sum(n) filter (side = 'current'), 0)::bigint as n_c, coalesce(sum(s) filter (side = 'current'), 0) as s_c
from cell_sides group by label_no, traits;

create or replace table cell_queries as
select label_no, sum(n_r)::bigint as n_r, sum(s_r) as s_r, sum(n_c)::bigint as n_c, sum(s_c) as s_c
from cell_sums group by label_no having sum(n_r) > 0 and sum(n_c) > 0;

create or replace macro measured_cells(members) as table
with sums as (
    select cell, label_no, sum(n_r)::bigint as n_r, sum(s_r) as s_r, sum(n_c)::bigint as n_c, sum(s_c) as s_c
    from query_table(members) where label_no in (select label_no from cell_queries) group by cell, label_no
),
news as (
    select cell, sum(n_r) / (select sum(n_r) from cell_queries) < sum(n_c) / (select sum(n_c) from cell_queries) / 10 as is_new
    from sums group by cell having sum(n_c) > 0
),
parts as (  -- one row a cell and query: i_ inside, q_ all
    select c.cell, q.label_no, c.is_new, q.n_r as q_n_r, q.s_r as q_s_r, q.n_c as q_n_c, q.s_c as q_s_c,
        coalesce(i.n_r, 0) as i_n_r, coalesce(i.s_r, 0) as i_s_r, coalesce(i.n_c, 0) as i_n_c, coalesce(i.s_c, 0) as i_s_c
    from news as c cross join cell_queries as q left join sums as i using (cell, label_no)
),
units as (
    select cell, true as is_inside, if(is_new, q_n_r, i_n_r) as n_r, if(is_new, q_s_r, i_s_r)::double as s_r, i_n_c as n_c, i_s_c::double as s_c from parts
    union all
    select cell, false, if(is_new, q_n_r, q_n_r - i_n_r), if(is_new, q_s_r, q_s_r - i_s_r)::double, q_n_c - i_n_c, (q_s_c - i_s_c)::double from parts
),
changes as (
    select cell, is_inside, n_c, s_r / n_r as before, s_c / n_c as after, cell_sign() * (after - before) as d,
        (n_r * n_c)::double / (n_r + n_c) as h, h / (h + opt_kappa()) as w
    from units where n_r > 0 and n_c > 0
),
halves as (
    select cell, is_inside, count(*) as n_queries, fine_sum(w) as total, power(total, 2) / fine_sum(w * w) as effective, fine_sum(w * d) / total as d,
        fine_sum(w * d * d) as squares, fine_sum(w * before) / total as before, fine_sum(w * after) / total as after,
        fine_sum(n_c * if(abs(d) < 1e-9, 0, d)) as loss, sum(n_c)::bigint as n_recalls
    from changes group by cell, is_inside
),
joined as (
    select i.cell, i.d - o.d as effect, (i.squares + o.squares) / (i.total + o.total) - power((i.total * i.d + o.total * o.d) / (i.total + o.total), 2) as variance,
        i.effective + o.effective as units, i.before, i.after, o.before as other_before, o.after as other_after,
        least(i.n_queries, o.n_queries) as n_queries, least(i.effective, o.effective) as effective, 1 / i.effective + 1 / o.effective as parts,
        i.loss / nullif(i.loss + o.loss, 0) as share_of_change, i.n_recalls / (i.n_recalls + o.n_recalls) as share_of_traffic, i.loss + o.loss < 0 as is_loss
    from halves as i inner join halves as o using (cell) where i.is_inside and not o.is_inside
)
select cell, effect, sqrt(greatest(variance, 0) * units / nullif(units - 1, 0) * parts) as se, effective - 1 as df, * exclude (cell, effect, variance, units, parts, is_loss)
from joined where is_loss;

create or replace view single_members as select [t] as cell, * exclude (t) from (select *, unnest(traits) as t from cell_sums);
create or replace table single_cells as from measured_cells('single_members');

create or replace view pair_members as
with carriers as (select coalesce(list(cell[1]), []) as carried from single_cells where share_of_change >= .5 and share_of_change - share_of_traffic >= .1),
held as (select * exclude (traits, carried), list_filter(traits, lambda t: list_contains(carried, t)) as traits from cell_sums cross join carriers)
select [a, b] as cell, * exclude (a, b, traits)
from (select *, unnest(traits) as b from (select *, unnest(traits) as a from held)) where a.name < b.name;
create or replace table pair_cells as from measured_cells('pair_members');

create or replace view cells as
with names as (select cell[1].name as name, count(*) as n from single_cells group by all),
looked_at as (select 2 * sum(n)::bigint as n_values, (power(sum(n), 2) - sum(n * n))::bigint as n_pairs from names)
select c.*, if(len(cell) = 1, n_values, n_pairs) as n_cells from (from single_cells union all from pair_cells) as c cross join looked_at
order by len(cell), cell;
