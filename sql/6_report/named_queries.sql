-- labelled_queries, quality_sums -> labels_asked, labels_to_name: which labelled queries were asked, and which may be named.
-- Edge: a label without tenant was asked for where any tenant asked its query, also a tenant that has a label of its own
--       where a condition picks recalls (--where), a query that none of them asks may be another tenant's: counted, and not named
create or replace view labels_asked as
with asked as (select label_no, query_key from labelled_queries where label_no in (select label_no from quality_sums))
select label_no from labelled_queries where label_no in (select label_no from asked) or (tenant_id is null and query_key in (select query_key from asked));

create or replace macro labels_to_name(is_picked) as table select * from labelled_queries where not is_picked or label_no in (select label_no from labels_asked);
