-- keyed -> keyed: the same of few events with their window and slice (few_recalls.sql), which six sums start from.
-- In:   keyed (view) · Out: few_keyed (table), keyed (view of it)
create or replace table few_keyed as from keyed;
create or replace view keyed as from few_keyed;
