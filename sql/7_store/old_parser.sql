-- if(condition, yes, no) for DuckDB before 2.0, whose clients open recall.duckdb: there it is no function; 2.0's own parser made it a case.
create or replace macro "if"(condition, yes, no) as case when condition then yes else no end;
