-- corpus_ids, label_ids, known_ids -> corpus_findings: label ids and returned ids that the corpus does not have.
-- In:   corpus_ids (document_id), label_ids and known_ids (check_labels.sql) · Out: corpus_findings (code, n, examples varchar[])
-- Edge: ids are compared as text, whole, as between log and labels
create or replace view corpus_findings as
select 'labels_not_in_corpus' as code, count(*) as n, list(document_id order by document_id)[:30] as examples
from label_ids where document_id not in (select document_id from corpus_ids)
union all
select 'returned_not_in_corpus', count(*), list(document_id order by document_id)[:30]
from known_ids where document_id not in (select document_id from corpus_ids);
