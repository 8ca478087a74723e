-- team_recalls -> team_clicks, team_credit: which of two interleaved teams was clicked more, query by query.
-- In:   team_recalls: labelled recalls (column team_text: the team of each result, as a JSON list or parted by commas); labels of kind click;
--       arm_a(), arm_b(): the teams; exponents(exponent)
-- Out:  team_clicks: clicked results of a team at a rank · team_credit: Σ n rank^exponent of each team: clicks weighed by 1 / the chance rank^-exponent
--       that this rank is looked at; exponent 0 = each click counts once
-- Key:  team_clicks (query, team, rank) · team_credit (exponent, query)
-- Edge: a result of neither team (both had it: a shared prefix) earns nobody credit · another number of teams than of results is an error
-- Source: team-draft interleaving: Radlinski, Kurup & Joachims 2008, doi 10.1145/1458082.1458092; inverse propensity: Joachims, Swaminathan & Schnabel 2017, doi 10.1145/3018661.3018699
create or replace macro team_list(text) as if(starts_with(trim(text), '['), json_transform(text::json, '["VARCHAR"]'), list_transform(string_split(text, ','), lambda t: trim(t)));
create or replace macro checked_teams(event_id, teams, ranked_ids) as if(len(teams) = len(ranked_ids), teams, error('rw:logs: event ''' || event_id || ''' has '
    || len(teams) || ' teams and ' || len(ranked_ids) || ' results, expected one each. Mend the log'));

create or replace table team_clicks as
select coalesce(q.tenant_id || '/', '') || coalesce(q.query_id, q.query_text) as query, q.query_class, r.team, r.rank, count(*) as n
from (
    select label_no, teams[h.rank] as team, h.rank as rank
    from (
        select label_no, checked_teams(event_id, team_list(team_text), ranked_ids) as teams, unnest(list_filter(judged.hits, lambda h: h.is_relevant)) as h
        from team_recalls where team_text is not null)) as r
inner join labelled_queries as q using (label_no)
where r.team in (arm_a(), arm_b()) group by all order by all;

create or replace view team_credit as
select exponent, query, any_value(query_class) as query_class,
    fine_sum(if(team = arm_a(), n * pow(rank, exponent), 0)) as a, fine_sum(if(team = arm_b(), n * pow(rank, exponent), 0)) as b,
    if(abs(a - b) < 1e-9, 0, sign(b - a))::integer as winner
from team_clicks cross join exponents group by exponent, query order by exponent, query;

create or replace view team_ranks as select team, sum(n)::bigint as n, sum(n * rank) / sum(n) as rank from team_clicks group by team;
