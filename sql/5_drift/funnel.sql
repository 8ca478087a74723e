-- held_funnel x drift_sides -> funnel_sums: the loss of each stage on both sides, for 6_report/funnel.sql.
create or replace table funnel_sums as select s.side, f.* from held_funnel as f inner join drift_sides as s using (day_no);
