-- raw_lines -> own_records: the JSON objects of a flat log whose records carry labels beside their result lists.
-- In:   raw_lines (lines.sql)
-- Out:  own_records (file, line, text); a bad line is counted where the log is read
-- Edge: several records that start at one line (a JSON array): the second is of file#2, so that each has a place of its own
create or replace table own_records as
select file || coalesce('#' || piece, '') as file, line, line_text as text from raw_lines where opens_object(line_text) and json_valid(line_text);
