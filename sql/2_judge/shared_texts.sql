-- label_index -> is_shared_text(): whether an event has no query_id and a text that several labelled queries share, so that nothing says which is meant.
create or replace macro is_shared_text(tenant, logged_id, logged_text) as to_json([if(list_contains(opt_tenants(), tenant), tenant, null), event_key(logged_id, logged_text)])::varchar
    in (select to_json([tenant_id, join_key])::varchar from label_index where label_no is null);
