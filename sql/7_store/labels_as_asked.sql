-- asked_labels -> labels: see asked_labels.sql.
create or replace table labels as from asked_labels;
