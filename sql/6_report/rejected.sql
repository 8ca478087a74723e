-- source_rejects -> report_rejected: how many lines could not become events; a last line that is half written, and another program's line, are none of them.
create or replace view report_rejected as select count(*) as n from source_rejects where reason not in ('incomplete_tail', 'other_line');
