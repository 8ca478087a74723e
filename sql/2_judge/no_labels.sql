-- -> labels: none, where nobody named any.
-- Out:  labels (contract.labels) without rows
create or replace table labels as from contract.labels;
