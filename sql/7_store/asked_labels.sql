-- labels -> asked_labels: the labels that were asked for, kept aside while those of another version stand in their place.
-- labels_as_asked.sql puts them back.
create or replace table asked_labels as from labels;
