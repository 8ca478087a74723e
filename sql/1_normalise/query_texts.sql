-- labels x query_texts -> labels: the texts of queries that stand in a file of their own.
-- In:   labels (contract.labels), query_texts(id, text)
-- Edge: a label's own text stays · an id with several texts: the smallest
create or replace table labels as
select l.* replace (coalesce(l.query_text, t.text) as query_text)
from labels as l left join (select id, min(text) as text from query_texts group by id) as t on t.id = l.query_id;
