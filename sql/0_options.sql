-- Every option of the definition as a macro, with its default. A caller overrides one by creating the macro anew,
-- e.g. `create or replace macro opt_rel_level() as 2.0;`. What each means: docs/metrics.md.
create or replace macro opt_rel_level() as null::double;          -- relevant from this grade on; null = grade > 0
create or replace macro opt_gain() as 'linear';                   -- linear | binary | exponential | map
create or replace macro opt_gain_map() as map([]::double[], []::double[]);  -- grade -> gain, where opt_gain() = 'map'
create or replace macro opt_order() as 'logged';                  -- logged | score
create or replace macro opt_ties() as 'docno_desc';               -- docno_desc | docno_asc, where order = score
create or replace macro opt_duplicates() as 'slot';               -- slot | collapse | error
create or replace macro opt_errors() as 'zero';                   -- zero | skip
create or replace macro opt_label_conflicts() as 'error';         -- error | max | mean | majority | last | drop
create or replace macro opt_no_relevant() as 'skip';              -- skip | zero | one | error
create or replace macro opt_abstention() as 'labels';             -- labels | skip
create or replace macro opt_missing() as 'skip';                  -- skip | zero
create or replace macro opt_unit() as 'event';                    -- event | query | trace | session
create or replace macro by_question() as list_contains(['trace', 'session'], opt_unit());  -- whether several searches answer one question
create or replace macro opt_ndcg_over() as 'all';                 -- all | graded
create or replace macro opt_percentile() as 'nearest_rank';       -- nearest_rank | linear
create or replace macro opt_depth() as null::bigint;              -- ranks beyond it are not read; null = all
create or replace macro opt_match() as ['id'];                    -- how relevance is told, tried in this order: id, token_f1, coverage, exact
create or replace macro opt_match_token_f1() as 0.3::double;       -- least token F1 of a match
create or replace macro opt_match_coverage() as 0.8::double;       -- least coverage of a match
create or replace macro by_id_only() as opt_match() = ['id'];
create or replace macro may_go_by_text(texts) as if(by_id_only(), false, coalesce(list_count(texts) > 0, false));  -- whether a list without ids may be judged
create or replace macro opt_rankings() as true;                   -- whether a metric of the ranking is asked for
create or replace macro opt_answers() as false;                    -- whether a metric of answers is asked for
create or replace macro opt_dated() as false;                       -- whether a metric of labels that change over time is asked for
create or replace macro some_dated_label() as true;                -- whether any label changes over time
create or replace macro opt_window() as null::varchar;            -- hour | day | week | month; null = all
create or replace macro opt_timezone() as 'UTC';                  -- IANA name, for windows
create or replace macro opt_odd_dates() as []::struct(from_us bigint, to_us bigint, "date" varchar)[];  -- evenings that a zone's clocks showed twice
create or replace macro opt_odd_midnights() as map([]::varchar[], []::bigint[]);  -- dates that begin at another moment than DuckDB reads, epoch us
create or replace macro opt_from() as null::timestamptz;          -- only events from this time on; null = all
create or replace macro opt_to() as null::timestamptz;            -- only events before this time
create or replace macro in_period(moment) as (opt_from() is null or moment >= opt_from()) and (opt_to() is null or moment < opt_to());
create or replace macro opt_exact_limit() as 1000000;             -- percentiles of a group are exact up to so many values, from the histogram beyond
create or replace macro has_labels() as true;                     -- whether any label was named or carried
create or replace macro opt_answer_queries() as 5000;             -- of how many queries a day the answers are kept, chosen by hash
create or replace macro opt_shown_queries() as 500;               -- of how many queries a day an evaluation without labels looks at the documents
create or replace macro opt_answer_depth() as 10;                 -- how deep an answer is looked at
create or replace macro opt_long_label() as 100;                   -- from so many documents on a label is looked up by hash
