-- What is known of a typed log (flat_facts of inspect.sql), as constants that flat.sql folds away.
-- They stand at "there is something" until a caller knows better.
create or replace macro fact_whole_lists() as false;  -- no ranked_ids is null or empty or holds a null (known before any row is read)
create or replace macro fact_whole_texts() as false;  -- the same of texts
create or replace macro fact_missing_ids() as true;   -- some record has no ranked_ids
create or replace macro fact_broken_time() as true;   -- some time is negative or not finite
create or replace macro fact_broken_cost() as true;   -- some cost or token count is negative or not finite
create or replace macro fact_status() as true;        -- some record has a status or an error
create or replace macro fact_rejects() as true;       -- some record may be no event (else no list is read to find that out)

-- The same of the finished events, all sources together, for 2_judge/recalls.sql.
create or replace macro some_error() as true;         -- some event has status error
create or replace macro some_null_id() as true;       -- some ranking holds a null id
create or replace macro some_long_group() as true;      -- some group may hold more values than opt_exact_limit()
