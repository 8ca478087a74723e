-- Exact sums, so that any order, split or number of threads gives the same bytes; and the t quantile for intervals.
create or replace macro exact_sum(x) as sum(x::decimal(18, 12));              -- values in [0, 1]
create or replace macro exact_amount(x) as sum(x::decimal(38, 9));            -- ms, US dollars, tokens
create or replace macro fine_sum(x) as sum(x::decimal(38, 24))::double;       -- small weights and variances
create or replace macro moments(x) as {'n': count(x), 'sum': exact_sum(x), 'sum_sq': exact_sum(x * x)};

-- What a value counts as in the means: null = left out. n_relevant 0: opt_no_relevant(); errors: opt_errors().
-- A product with 1 or null, not a case: inside a case every metric would be evaluated row by row, three times slower.
create or replace macro kept(n_relevant, is_scorable, is_error) as if(
    not is_scorable or (is_error and opt_errors() = 'skip') or (n_relevant = 0 and opt_no_relevant() = 'skip'), null, 1.0::double);
create or replace macro counted(value, n_relevant, is_scorable, is_error) as
    greatest(value, if(n_relevant = 0, case opt_no_relevant() when 'zero' then 0.0::double when 'one' then 1.0::double end, null))
    * kept(n_relevant, is_scorable, is_error);
create or replace macro counted_judged(value, n_relevant, is_scorable, is_error) as  -- an empty ranking stays null
    value * kept(n_relevant, is_scorable, is_error);

create or replace macro counted_answer(value, n_relevant, is_scorable, is_error) as  -- an answer can be right or wrong whatever was found
    value * kept(1, true, is_error);

-- t quantile .975 at df degrees of freedom, df >= 2 (fractional too): polynomial in 1/df, error < 1e-10
-- Source: least squares on Chebyshev nodes against scipy.stats.t.ppf; a test compares
create or replace macro t_975_of(u) as
    (1.9599639845809456e0 + u * (2.3722712048823995e0 + u * (2.822501243248296e0 + u * (2.5557426307256206e0 + u * (1.5918020186197233e0 + u * (0.7044304869831546e0 + u * (0.8528334521528069e0 + u * (-1.0059849891979256e0 + u * (1.6217368466810729e0 + u * (-1.1227233763138629e0 + u * 0.3589824441611379e0))))))))));
create or replace macro t_975(df) as t_975_of(1.0::double / df);
