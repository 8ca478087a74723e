-- recalls -> protocol_ids, protocol_forms, protocol_lists: what the returned ids look like, for the gates of a protocol.
-- In:   recalls; id_forms(position, name, form): the agreed form first, where there is one; the first that fits names an id
-- Out:  protocol_forms: one row a form seen: ids, distinct_ids, lists, example; name null = fits none
--       protocol_lists: one row: lists, with_repeats, deepest, empty, queries asked more than once
-- Edge: null ids are no id · recalls without a label are left out, as in the means
create or replace table protocol_ids as
with ids as (select label_no, event_id, unnest(ranked_ids) as id from recalls where label_no is not null),
distinct_ids as (select distinct id from ids where id is not null),
named as (
    select d.id, arg_min(f.name, f.position) as name
    from distinct_ids as d left join id_forms as f on regexp_matches(d.id, f.form) group by d.id
)
select i.event_id, i.id, n.name from ids as i inner join named as n on n.id = i.id;

create or replace view protocol_forms as
select name, count(*) as ids, count(distinct id) as distinct_ids, count(distinct event_id) as lists, min(id) as example
from protocol_ids group by name order by ids desc, name;

create or replace view protocol_lists as
select count(*) as lists, count(*) filter (has_repeats(ranked_ids)) as with_repeats, max(len(ranked_ids)) as deepest,
    count(*) filter (len(ranked_ids) = 0) as empty, count(*) - count(distinct label_no) as asked_again
from recalls where label_no is not null;
