-- labels (contract.labels) -> labels_again: as a file of labels says them, so that reading it gives the same labels.
-- Edge: a document without a grade and without a word on its relevance is relevant, and says so: an empty grade beside it would mean "not judged"
create or replace macro labels_again(relation) as table
select * exclude (source, source_line) replace (coalesce(is_relevant, case when grade is null and document_id is not null then true end) as is_relevant)
from query_table(relation);
