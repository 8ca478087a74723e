-- answer_shares, answer_documents, answer_queries -> cause_documents, cause_traits, cause_lists: what a changed night has in common, of one pair, the last measured.
-- In:   answer_judged(): the pair's number; held_answered for the tenant and class of a query
-- Out:  cause_documents: one row of counts. n_usual: documents that three reference windows or more showed; n_gone of them, n_new others that no
--       reference window showed; gone_share: of the reference's lists, filled by the documents gone; n_renamed: gone ones of which a new id has the stem, the id or what follows a separator of it (doc:7#2 · doc:7 · 7#2), or that ends so with a new id
--       cause_traits: what gone documents share, best first: n_gone documents gone of n_trait that have the trait
--       cause_lists: length of the lists by query on both sides; gone_rank: mean rank of the documents gone; gone_behind: of the pairs of a document gone and
--       one that stayed, in lists that lost some, the share in which the one gone stood behind; new_ahead: the same of documents new to the query that stand ahead of one that stayed; and how far documents that both sides show moved (mean of ranks, by traffic)
-- Edge: under three reference windows a document is usual that would be shown 3 times now or more, if its queries got what they got (d_r / n_r of
--       the n_c recalls of each), and gone if it is not shown · fewer than 5 documents gone, or nearly all (80 %): no trait is named · a trait is named where it holds 90 % of the documents gone, 80 % of those
--       that have it are gone (each by its certainty: chance hides rare ones), and as good a split would come up by chance in 1 of 1,000 searches at most (log of the binomial coefficient
--       n_usual over n_gone, less the log of how many traits were tried)
create or replace macro id_stem(id) as regexp_replace(id, '[#:/@._-][^#:/@._-]*$', '');
create or replace macro id_ends(id) as list_transform(list_filter(range(1, length(id)), lambda i: contains('#:/@._-', id[i])), lambda i: id[i + 1:]);
create or replace macro log_choose(n, m) as lgamma(n + 1) - lgamma(m + 1) - lgamma(n - m + 1);

create or replace table cause_shares as
select document_id, if(n_units >= 3, shown_thrice, n_expected >= 3) as is_usual, is_usual and shown_c = 0 as is_gone, share_r, certain, is_new and shown_c > 0 as is_new
from (select * exclude (is_gone) rename (is_usual as shown_thrice) from answer_shares where pair_no = answer_judged());

create or replace view cause_documents as
with own as (select * from cause_shares),
gone as (select document_id from own where is_gone),
new as (select document_id from own where is_new),
names as (select distinct unnest([id_stem(document_id), document_id] || id_ends(document_id)) as name from new)
select count(*) filter (is_usual) as n_usual, count(*) filter (is_gone) as n_gone, count(*) filter (is_new) as n_new,
    coalesce(fine_sum(if(is_gone, share_r, null)), 0) as gone_share,
    (select count(*) from gone where document_id in (select name from names)
        or (id_stem(document_id) <> document_id and id_stem(document_id) in (select name from names))
        or list_has_any(id_ends(document_id), (select list(document_id) from new))) as n_renamed
from own;

create or replace view cause_traits as
with documents as (
    select document_id, is_gone, certain, try_cast(regexp_extract(document_id, '(\d{1,15})\D*$', 1) as bigint) as number
    from cause_shares where is_usual
),
readers as (
    select d.document_id, min(a.tenant_id) as tenant_id, max(a.tenant_id) as last_tenant, min(a.query_class) as query_class, max(a.query_class) as last_class
    from answer_documents as d inner join held_answered as a using (query)
    where d.pair_no = answer_judged() and d.d_r > 0 and a.day_no in (select day_no from answer_pairs where pair_no = answer_judged()) group by d.document_id
),
traits as (
    select is_gone, certain, unnest([
        {'place': 1, 'trait': 'folder', 'shared': nullif(regexp_extract(document_id, '^(.*)/', 1), '')},
        {'place': 2, 'trait': 'prefix', 'shared': nullif(regexp_extract(document_id, '^([^#:/@._-]+)[#:/@._-]', 1), '')},
        {'place': 3, 'trait': 'tenant_id', 'shared': if(tenant_id = last_tenant, tenant_id, null)},
        {'place': 4, 'trait': 'query_class', 'shared': if(query_class = last_class, query_class, null)}], recursive := true)
    from documents inner join readers using (document_id)
    union all
    select is_gone, certain, 4 + m, 'remainder', m || ':' || number % m from documents cross join range(2, 33) as t(m) where number is not null
),
whole as (select count(*) as n_usual, count(*) filter (is_gone) as n_gone, fine_sum(if(is_gone, certain, 0)) as gone from documents),
tried as (
    select place, trait, shared, count(*) filter (is_gone) as n_gone, count(*) as n_trait, fine_sum(if(is_gone, certain, 0)) as gone, fine_sum(certain) as whole from traits where shared is not null group by all
)
select t.trait, t.shared, t.n_gone, t.n_trait, w.n_gone as n_all_gone
from tried as t cross join whole as w
where w.n_gone >= 5 and w.n_gone <= .8 * w.n_usual and t.gone >= .9 * w.gone and t.gone >= .8 * t.whole
    and log_choose(w.n_usual, w.n_gone) - ln((select count(*) from tried)) > ln(1000)
order by abs(t.n_gone - t.n_trait) + (w.n_gone - t.n_gone), t.place, t.shared;

create or replace view cause_lists as
with queries as (select * from answer_queries where pair_no = answer_judged()),
moved as (
    select sum(d.d_c * abs(d.rank_r / d.d_r - d.rank_c / d.d_c)) / sum(d.d_c) as rank_move
    from answer_documents as d where d.pair_no = answer_judged() and d.d_r > 0 and d.d_c > 0
),
left_behind as (
    select sum(d.rank_r) / sum(d.d_r) as gone_rank
    from answer_documents as d inner join cause_shares as s using (document_id) where d.pair_no = answer_judged() and d.d_r > 0 and s.is_gone
),
losing as (  -- the lists that documents left: gone ones, those that stayed, and those that are new to the query
    select d.query, d.document_id, d.d_r, d.d_c, d.rank_r / d.d_r as rank_r, d.rank_c / d.d_c as rank_c, s.is_gone
    from answer_documents as d inner join cause_shares as s using (document_id)
    where d.pair_no = answer_judged() and d.query in (
        select l.query from answer_documents as l inner join cause_shares as g using (document_id) where l.pair_no = answer_judged() and l.d_r > 0 and g.is_gone)
),
places as (
    select sum(o.d_r * s.d_r) filter (o.is_gone and o.rank_r > s.rank_r) / nullif(sum(o.d_r * s.d_r) filter (o.is_gone), 0) as gone_behind,
        sum(o.d_c * s.d_c) filter (o.d_r = 0 and o.rank_c < s.rank_c) / nullif(sum(o.d_c * s.d_c) filter (o.d_r = 0), 0) as new_ahead
    from losing as o inner join losing as s using (query) where s.d_r > 0 and s.d_c > 0 and (o.is_gone and o.d_r > 0 or o.d_r = 0 and o.d_c > 0)
)
select max(length_r) as longest_r, max(length_c) as longest_c,
    -- of the lists that were longer than the longest now: how many of them have just that length
    count(*) filter (length_r > (select max(length_c) from queries) and length_c > (select max(length_c) from queries) - .5)::double
        / nullif(count(*) filter (length_r > (select max(length_c) from queries)), 0) as share_cut,
    count(*) filter (s < .8)::double / nullif(count(*), 0) as share_changed, any_value(m.rank_move) as rank_move,
    any_value(l.gone_rank) as gone_rank, any_value(p.gone_behind) as gone_behind, any_value(p.new_ahead) as new_ahead
from queries cross join moved as m cross join left_behind as l cross join places as p;
