-- Exact sums, so that any order, split or number of threads gives the same bytes; and the t quantile for intervals.
-- Values of metrics are in [0, 1] (differences in [-1, 1]). In units of 2^-62 they are whole numbers: a double of 1/1024 or more exactly, a smaller
-- one to 1e-19; so their sum is exact, and a mean of equal values is that value to the last bit. As quick as decimal(18, 12), which cut them.
create or replace macro in_units(x) as (x * 4611686018427387904)::bigint;
create or replace macro in_wide_units(x) as (x * 4611686018427387904)::hugeint;  -- the same of any number up to 1e19
create or replace macro exact_sum(x) as sum(in_units(x))::decimal(38, 0);     -- decimal: Parquet holds no hugeint
create or replace macro mean_of(total, n) as if(n > 0, ((total::hugeint // n::hugeint)::double + (total::hugeint % n::hugeint)::double / n) / 4611686018427387904, null);
create or replace macro exact_mean(x) as mean_of(exact_sum(x), count(x));
create or replace macro exact_amount(x) as sum(x::decimal(38, 9));            -- ms, US dollars, tokens
create or replace macro fine_sum(x) as sum(x::decimal(38, 24))::double;       -- small weights and variances
create or replace macro moments(x) as {'n': count(x), 'sum': exact_sum(x)};

-- What a value counts as in the means: null = left out. n_needed = how many labels of the query decide the metric: relevant ones, for nDCG those that
-- earn a gain (METRICS says which); 0: opt_no_relevant(); errors: opt_errors().
-- A product with 1 or null, not a case: inside a case every metric would be evaluated row by row, three times slower.
create or replace macro kept(n_needed, is_scorable, is_error) as if(
    not is_scorable or (is_error and opt_errors() = 'skip') or (n_needed = 0 and opt_no_relevant() = 'skip'), null, 1.0::double);
create or replace macro counted(value, n_needed, is_scorable, is_error) as
    greatest(value, if(n_needed = 0, case opt_no_relevant() when 'zero' then 0.0::double when 'one' then 1.0::double end, null))
    * kept(n_needed, is_scorable, is_error);
create or replace macro counted_judged(value, n_needed, is_scorable, is_error) as  -- an empty ranking stays null
    value * kept(n_needed, is_scorable, is_error);
create or replace macro counted_dated(value, n_needed, is_scorable, is_error) as  -- whatever is right now
    value * kept(1, is_scorable, is_error);
create or replace macro counted_answer(value, n_needed, is_scorable, is_error) as  -- an answer can be right or wrong whatever was found
    value * kept(1, true, is_error);

-- Wilson's score interval (95 %) of a share p among n, n fractional too: what stands in for the t interval where no query differs from another, as at
-- the edges 0 and 1. For values between 0 and 1 it is the widest case: no distribution on [0, 1] of mean p varies more than hits and misses do.
-- Source: Wilson 1927, doi 10.1080/01621459.1927.10502953; Brown, Cai & DasGupta 2001, doi 10.1214/ss/1009213286 (why it holds at the edge)
create or replace macro wilson_half(p, n) as 1.959963984540054 * sqrt(p * (1 - p) / n + 0.9603647051735317 / (n * n)) / (1 + 3.8414588206941268 / n);
create or replace macro wilson_mid(p, n) as (p + 1.9207294103470634 / n) / (1 + 3.8414588206941268 / n);

-- t quantile .975 at df degrees of freedom, df >= 2 (fractional too): polynomial in 1/df, error < 1e-10
-- Source: least squares on Chebyshev nodes against scipy.stats.t.ppf; a test compares
create or replace macro t_975_of(u) as
    (1.9599639845809456e0 + u * (2.3722712048823995e0 + u * (2.822501243248296e0 + u * (2.5557426307256206e0 + u * (1.5918020186197233e0 + u * (0.7044304869831546e0 + u * (0.8528334521528069e0 + u * (-1.0059849891979256e0 + u * (1.6217368466810729e0 + u * (-1.1227233763138629e0 + u * 0.3589824441611379e0))))))))));
create or replace macro t_975(df) as t_975_of(1.0::double / df);

-- half of the 95 % interval of a weighted mean over queries: sum_w2 = Σ w², v_weighted = Σ (w (x − mean))², s2 = variance of x; under 5 effective queries null
create or replace macro interval_half(sum_w2, v_weighted, s2) as if(1 / sum_w2 < 5 - 1e-9, null, t_975(1 / sum_w2 - 1) * sqrt(greatest(v_weighted, s2 * sum_w2)));
