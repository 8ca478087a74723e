-- events_once -> askings: what is judged, where each search answers a question of its own (--unit event, query): the events. Else: questions.sql.
-- Out:  the columns of events; searches: null
create or replace view askings as
select *, null::struct(unit varchar, n_wasted bigint, n_repeated bigint, brought bigint[], "list" struct("at" timestamptz, ms double, tokens bigint)[]) as searches from events_once;
create or replace view asking_counts as select null::bigint as n, 0::bigint as n_alone;
