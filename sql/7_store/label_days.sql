-- label_periods, label_days(day, start_at, end_at: null = events without a time) -> label_prints: what the labels that hold on a day say, as one text a day.
-- Key:  day · equal texts under two label versions = the day's events are judged alike under both
-- Edge: the numbers of the queries are part of it, so a version with other queries is another one on every day
create or replace table label_prints as
with
said as (
    select label_from, label_until, struct_pack(label_no, tenant_id, query_id, query_text, query_class, kind, label_from, label := plain_label(label), texts, hops, gold_answers,
        is_graded, is_answer_only, is_no_answer, expired) as row
    from label_periods
),
hashed as (select label_from, label_until, hash(row)::hugeint as a, hash(row, 'again')::hugeint as b from said),
always as (select coalesce(sum(a), 0) as a, coalesce(sum(b), 0) as b from hashed where label_from = '-infinity' and label_until = 'infinity'),
on_days as (
    select d.day, coalesce(sum(h.a), 0) as a, coalesce(sum(h.b), 0) as b
    from label_days as d left join (from hashed where label_from <> '-infinity' or label_until <> 'infinity') as h
        on (d.end_at is null and not isfinite(h.label_until)) or (h.label_from < d.end_at and h.label_until >= d.start_at)
    group by d.day
)
select day, (always.a + on_days.a)::varchar || ':' || (always.b + on_days.b)::varchar as print from on_days cross join always;
