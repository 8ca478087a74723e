-- line_stream x line_sources -> raw_lines: the records of text logs with the file and line each stands at.
-- In:   line_stream(source_no, source_line, line, problem, piece), line_sources(source_no, file): streams of Python, which can be read once
-- Out:  raw_lines (file, line, line_text, problem, piece)
create or replace view raw_lines as
select file, source_line as line, line as line_text, problem, piece from line_stream inner join line_sources using (source_no);
