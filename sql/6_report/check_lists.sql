-- events_once -> list_findings: what the logged lists show about the log.
-- In:   events_once (contract.events), opt_pool_size() bigint or null, opt_max_k() integer or null
-- Out:  list_findings (code, n, examples varchar[])
-- Edge: an attribute first_hit_rank or n_haystack, n_pool, pool_size speaks of a list that is deeper than the logged one, of a pool
create or replace macro logged_number(a, names) as try_cast(list_filter(list_transform(names, lambda ln1: a[ln1]), lambda ln2: ln2 is not null)[1] as double);

create or replace view list_findings as
with lists as (
    select coalesce(query_id, query_text, event_id) as name, ranked_ids, coalesce(logged_number(attributes, ['pool_size', 'n_pool', 'n_haystack', 'n_candidates']), opt_pool_size()) as pool,
        logged_number(attributes, ['first_hit_rank']) as hit_rank
    from events_once
)
select 'repeated_ids' as code, count(*) as n, list(name order by name)[:5] as examples from lists where has_repeats(ranked_ids)
union all
select 'deeper_than_logged', count(*), list(name || ': first hit at rank ' || hit_rank::bigint || ', list of ' || len(ranked_ids) order by name)[:3] from lists where hit_rank > len(ranked_ids)
union all
select 'k_reaches_pool', count(*), list(name || ': pool of ' || pool::bigint order by name)[:3] from lists where opt_max_k() >= pool;

-- expected recall of a random ranking: k / pool, at most 1
create or replace view chance_level as
select k, avg(least(1, k / pool)) as expected_recall, count(*) as n_events
from (select distinct k from metric_columns where k is not null),
    (select coalesce(logged_number(attributes, ['pool_size', 'n_pool', 'n_haystack', 'n_candidates']), opt_pool_size()) as pool from events_once)
where pool > 0 group by k order by k;

-- a metric the log itself holds (recall@10, hit_at_10, mrr …) against ours: which of ours it agrees with
create or replace view logged_metrics as
with logged as (
    select e.key as name, avg(try_cast(e.value as double)) as value, count(*) as n,
        try_cast(regexp_extract(e.key, '(\d+)$', 1) as integer) as k
    from (select unnest(map_entries(attributes)) as e from events_once)
    where regexp_matches(e.key, '^(recall|hit|hits|success|precision|mrr|rr|ndcg|map|recall_any|recall_all)(([@_]|_at_)\d+)?$') and try_cast(e.value as double) is not null
    group by e.key
),
ours as (select metric, k, value from metrics where "window" is null and segment = map([]::varchar[], []::varchar[]) and value is not null)
select l.name, l.value, l.n, list(o.metric || coalesce('@' || o.k, '') order by o.metric, o.k) filter (abs(o.value - l.value) < 5e-5) as agrees_with,
    any_value(o.value) filter (o.metric = regexp_extract(l.name, '^[a-z]+') and o.k is not distinct from l.k) as ours
from logged as l left join ours as o on l.k is null or o.k = l.k
group by l.name, l.value, l.n order by l.name;

-- ranks of the first k that hold nothing relevant, over the labelled recalls: how many of them any label speaks of (judged@k of
-- those slots). What no label speaks of counts as a miss and may be none. k = the largest asked for
create or replace view other_slots as
select coalesce(sum(n_slots - n_relevant), 0)::bigint as n, coalesce(sum(n_judged), 0)::bigint as n_judged
from (
    select least(coalesce(opt_max_k(), judged.n_ranked), judged.n_ranked) as n_slots,
        len(list_filter(judged.hits, lambda h: h.is_relevant and h.rank <= n_slots)) as n_relevant,
        len(list_filter(judged.hits, lambda h: not h.is_relevant and h.rank <= n_slots)) as n_judged
    from judged_events where judged.n_relevant > 0
);
