-- -> keeps_texts(), raw_expected_of: nothing, where relevance is told by id alone and texts are not kept (else raw_texts.sql).
create or replace macro keeps_texts() as false;
create or replace view raw_expected_of as select null::integer as label_no, null::timestamptz as label_from, null::json as expected_texts where false;
