-- (Lambda names are odd on purpose: a macro's own must not hide the caller's.)
-- How a trace format's value becomes the value of contract.spans; used by every sql/1_normalise/spans_*.sql.

-- ids: 16 or 8 bytes in hex of any case, or in base64 (protobuf's own JSON mapping), to lower hex; anything else as logged
create or replace macro as_id(value, hex_length, base64_pattern) as case
    when value = '' or starts_with(value, '0') and regexp_full_match(value, '0+') then null
    when regexp_full_match(value, '[0-9A-Fa-f]+') then lower(value)
    when regexp_full_match(value, base64_pattern) then lower(hex(from_base64(value)))
    else value end;
create or replace macro as_trace_id(value) as as_id(value, 32, '[A-Za-z0-9+/]{22}==');
create or replace macro as_span_id(value) as as_id(value, 16, '[A-Za-z0-9+/]{11}=');
-- an id may be a word (hand-made traces have them), but not bytes nobody can write down
create or replace macro is_unreadable_id(value) as coalesce(not regexp_full_match(value, '[A-Za-z0-9_.:+/=-]*'), false);

-- nanoseconds since 1970 as text of an integer; 0 = unset
create or replace macro as_ns(value) as nullif(coalesce(try_cast(value as hugeint), try_cast(try_cast(value as double) as hugeint)), 0);
create or replace macro moment_of_ns(ns) as if(abs(ns) < 9e18, make_timestamp(ns::bigint // 1000)::timestamptz, try(make_timestamp((ns // 1000)::bigint)::timestamptz));
create or replace macro span_ms(start_ns, end_ns) as if(end_ns >= start_ns, (end_ns - start_ns)::double / 1e6, null);
create or replace macro span_ms_of(start_at, end_at) as if(end_at >= start_at, (epoch_us(end_at) - epoch_us(start_at)) / 1e3, null);
create or replace macro span_flags(start_at, end_at, duration_ms) as
    if(start_at is not null and end_at is not null and duration_ms is null, ['latency_invalid'], []::varchar[]);

create or replace macro is_error_code(code) as coalesce(upper(code) in ('2', 'ERROR', 'STATUS_CODE_ERROR'), false);
create or replace macro error_type_of(own, events, message) as coalesce(
    own,
    list_filter(events, lambda ee1: ee1.name = 'exception')[1].attributes['exception.type'],
    nullif(message, ''));

-- entries (key, value) to a map; of a key that comes twice the last wins, a null key goes
create or replace macro as_attributes(entries) as coalesce(try(map_from_entries(entries)), map_from_entries(
    list_filter(entries, lambda aa2, aa3: aa2.key is not null and not list_contains(list_transform(list_slice(entries, aa3 + 1, len(entries)), lambda aa4: aa4.key), aa2.key))));
-- attributes as two lists, the later key first: a rule looks in them at a twentieth of what a map of them costs
create or replace macro told_at(told, key) as told.texts[list_position(told.keys, key)];
create or replace macro told_of(attributes) as {'keys': list_reverse(map_keys(attributes)), 'texts': list_reverse(map_values(attributes))};
create or replace macro entries_of(keys, texts) as list_transform(list_zip(keys, texts), lambda eo1: {'key': eo1[1], 'value': eo1[2]});
create or replace macro attributes_told(told) as as_attributes(entries_of(list_reverse(told.keys), list_reverse(told.texts)));
-- a JSON object to a map of texts: strings bare, the rest as JSON text
create or replace macro attributes_of_json(value) as coalesce(
    try(if(ltrim(value)[1] = '{', json_transform(value, '"MAP(VARCHAR, VARCHAR)"'), null)), map([]::varchar[], []::varchar[]));

-- OTLP's AnyValue: a leaf is its text; lists and objects become plain JSON, from the inside out, six levels deep.
-- A container that is done has its brackets written as U+E000 to U+E003, so that "no bracket inside" stays a regular pattern.
create or replace macro any_leaves(v) as regexp_replace(regexp_replace(regexp_replace(v,
    '\{\s*"(?:string|bytes)Value"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}', '\1', 'g'),
    '\{\s*"(?:int|double|bool)Value"\s*:\s*"?([-+.\w]*)"?\s*\}', '\1', 'g'),
    '("value"\s*:|[\[,])\s*\{\s*\}', '\1null', 'g');
create or replace macro any_pass(v) as regexp_replace(regexp_replace(regexp_replace(v,
    '\{\s*"key"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"value"\s*:((?:"(?:[^"\\]|\\.)*"|[^"\[\]{}])*)\}', '\1:\2', 'g'),
    '\{\s*"arrayValue"\s*:\s*\{\s*(?:"values"\s*:\s*\[((?:"(?:[^"\\]|\\.)*"|[^"\[\]{}])*)\]\s*)?\}\s*\}', chr(57344) || '\1' || chr(57345), 'g'),
    '\{\s*"kvlistValue"\s*:\s*\{\s*(?:"values"\s*:\s*\[((?:"(?:[^"\\]|\\.)*"|[^"\[\]{}])*)\]\s*)?\}\s*\}', chr(57346) || '\1' || chr(57347), 'g');
create or replace macro any_json(v) as translate(
    any_pass(any_pass(any_pass(any_pass(any_pass(any_pass(any_leaves(v))))))), chr(57344) || chr(57345) || chr(57346) || chr(57347), '[]{}');
-- value: struct(stringValue, boolValue, intValue, doubleValue, bytesValue varchar, arrayValue, kvlistValue json)
create or replace macro any_leaf(v) as coalesce(v.stringValue, v.intValue, v.boolValue, v.doubleValue, v.bytesValue);
create or replace macro any_text(v) as coalesce(any_leaf(v), any_json('{"arrayValue":' || v.arrayValue || '}'), any_json('{"kvlistValue":' || v.kvlistValue || '}'));
-- (a lambda's expression is set up anew for each vector, regular expressions and all: one for lists of leaves, which nearly all are)
create or replace macro any_nested(attributes) as coalesce(list_bool_or(list_transform(attributes, lambda an1: an1.value.arrayValue is not null or an1.value.kvlistValue is not null)), false);
create or replace macro any_keys(attributes) as coalesce(list_transform(attributes, lambda ak1: ak1.key), []);
create or replace macro any_texts(attributes) as case when attributes is null then []
    when any_nested(attributes) then list_transform(attributes, lambda at2: any_text(at2.value))
    else list_transform(attributes, lambda at3: any_leaf(at3.value)) end;
create or replace macro any_told(attributes) as {'keys': list_reverse(any_keys(attributes)), 'texts': list_reverse(any_texts(attributes))};
create or replace macro any_entries(attributes) as entries_of(any_keys(attributes), any_texts(attributes));
create or replace macro any_map(attributes) as as_attributes(any_entries(attributes));
