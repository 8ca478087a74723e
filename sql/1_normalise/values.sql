-- How a logged value becomes the contract's value; used by every normaliser.

-- a line's first letter, and whether it has any, without a walk along the line where it is the usual one
create or replace macro opens_object(text) as if(starts_with(text, '{'), true, ltrim(text)[1] = '{');
create or replace macro is_blank(text) as if(starts_with(text, '{'), false, trim(text, e' \t\r\n') = '');

-- ISO text with or without zone (none = UTC), or an epoch number in s, ms, us or ns, told by its size
create or replace macro us_since_epoch(number) as case
    when abs(number) < 1e11 then number * 1e6 when abs(number) < 1e14 then number * 1e3
    when abs(number) < 1e17 then number else number / 1e3 end;
-- Edge: outside of what nanoseconds can say (1678 to 2261) -> null: year 1 or 9999 stands where a program had no time to write
create or replace macro end_of_time() as '2262-01-01T00:00:00Z'::timestamptz;
create or replace macro is_a_time(moment) as moment >= '1678-01-01T00:00:00Z'::timestamptz and moment < end_of_time();
create or replace macro is_lost_time(moment, text) as (moment is null and text is not null) or not is_a_time(moment);
create or replace macro time_or_null(moment) as if(is_a_time(moment), moment, null);
-- as Python's logging (a comma before the ms), HTTP, web servers' logs and MongoDB ({"$date": …}) write it; a date such as 01/02/2026 stays unknown
create or replace macro moment_in_words(value) as case
    when starts_with(value, '{') then coalesce(try_cast(try(value::json ->> '$."$date"') as timestamptz), try(make_timestamp(1000 * try_cast(value::json ->> '$."$date"."$numberLong"' as bigint))::timestamptz))
    when regexp_full_match(value, '\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d,\d+.*') then try_cast(replace(value, ',', '.') as timestamptz)
    when regexp_full_match(value, '[A-Z][a-z]{2}, \d.* GMT') then try_strptime(value, '%a, %d %b %Y %H:%M:%S GMT')::timestamptz
    else try_strptime(trim(value, '[]'), '%d/%b/%Y:%H:%M:%S %z')::timestamptz end;
create or replace macro as_moment(value) as coalesce(  -- whatever the year
    try_cast(value as timestamptz),
    try(make_timestamp(coalesce(
        case when abs(try_cast(value as bigint)) >= 100000000000000000 then try_cast(value as bigint) // 1000 end,
        round(us_since_epoch(try_cast(value as double))))::bigint)::timestamptz),
    moment_in_words(value));
create or replace macro as_timestamp
    (value varchar) as list_transform([as_moment(value)], lambda m: time_or_null(m))[1],  -- a list: as_moment() stands here once, not three times
    (value timestamptz) as time_or_null(value);

-- a time, cost or count that can be one: finite, not negative, and small enough for the exact sums (1e15 ms are 32,000 years);
-- anything else is no measurement: null, flagged, counted (isfinite first: a comparison alone is decided by a file's statistics, which leave NaN out)
create or replace macro can_be_measured(value) as isfinite(value) and value >= 0 and value < 1e15;
create or replace macro measured(value) as if(can_be_measured(value), value, null);
-- a number as a log writes it; empty text or an object is none, any other text (also true, false) is no measurement: NaN, which is_broken() counts
create or replace macro number_of(text) as coalesce(try_cast(text as double), if(text is null or trim(text) = '' or starts_with(text, '{'), null, 'nan'::double));
create or replace macro numbers_in(texts) as map_from_entries(list_transform(map_entries(texts), lambda e: {'key': e.key, 'value': number_of(e.value)}));
-- whether a list or the values of a map, read from JSON as numbers, may be something else there: text is null then, true is 1
create or replace macro may_be_texts(numbers) as coalesce(list_count(numbers) < len(numbers) or list_contains(numbers, 1), false);
create or replace macro is_broken(value) as coalesce(not can_be_measured(value), false);
create or replace macro measured_stages(stages) as if(
    list_bool_and(list_transform(map_values(stages), lambda v: can_be_measured(v))), stages,
    map_from_entries(list_filter(map_entries(stages), lambda e: can_be_measured(e.value))));
create or replace macro has_broken_stage(stages) as coalesce(list_bool_or(list_transform(map_values(stages), lambda v: not can_be_measured(v))), false);
create or replace macro finite_scores(scores) as if(
    coalesce(isfinite(list_sum(scores)), true), scores, list_transform(scores, lambda s: if(isfinite(s), s, null)));
create or replace macro has_broken_score(scores) as coalesce(not isfinite(list_sum(scores)), false);

-- a map without the entries whose value is null (most have none: making a map anew takes ten times as long)
create or replace macro without_nulls(entries) as list_transform([entries], lambda m: if(list_count(map_values(m)) = cardinality(m), m,
    map_from_entries(list_filter(map_entries(m), lambda e: e.value is not null))))[1];

-- the text of a JSON value that is one value; an object or a list is none
create or replace macro scalar_text(value) as if(json_type(value) in ('OBJECT', 'ARRAY'), null, value ->> '$');

create or replace macro is_number(value) as json_type(value) in ('DOUBLE', 'BIGINT', 'UBIGINT');

-- ids that are no plain values (JSON): of an object its id, of a pair (id, number) the id; anything else is no id, and never text of itself
create or replace macro first_plain(value, paths) as list_filter(json_extract(value, paths), lambda fp1: json_type(fp1) not in ('OBJECT', 'ARRAY', 'NULL'))[1] ->> '$';
create or replace macro id_of(value) as case json_type(value)
    when 'OBJECT' then first_plain(value, ['$.id', '$._id', '$.document_id', '$.doc_id', '$.chunk_id', '$.memory_id', '$.docno', '$.docid',
        '$.uuid', '$.file_id', '$.objectID', '$."$oid"', '$.id."$oid"', '$._id."$oid"'])
    when 'ARRAY' then if(json_array_length(value) = 2 and is_number(json_extract(value, '$[1]')), scalar_text(json_extract(value, '$[0]')), null)
    when 'NULL' then null else value ->> '$' end;
create or replace macro is_no_id(value) as json_type(value) in ('OBJECT', 'ARRAY') and id_of(value) is null;
create or replace macro may_nest(ids) as coalesce(list_bool_or(list_transform(ids, lambda x: x >= '[' and x < '\' or x >= '{' and x < '|')), false);  -- begins with [ or {
-- nested: the values of a list that may nest, as JSON; null = none of them does
create or replace macro ids_beside(texts, nested) as if(nested is null, texts, list_transform(nested, lambda x: id_of(x)));
create or replace macro no_id_among(nested) as coalesce(list_bool_or(list_transform(nested, lambda x: is_no_id(x))), false);
create or replace macro ids_of(texts, values) as ids_beside(texts, if(may_nest(texts), values, null));
create or replace macro has_no_id(texts, values) as no_id_among(if(may_nest(texts), values, null));

-- the entries of a JSON object in their order, each with its value as text; a key that stands twice stands there twice (a map would hold it once)
create or replace macro entries_in(value) as list_transform(
    list_zip(json_keys(value), json_extract_string(value, '$.*')), lambda e: {'key': e[1], 'value': e[2]});

-- a map of id and score (ranx, pytrec_eval) as a list: the highest score is the first rank, of equal ones the first in the object, as in 1_normalise/json_run.sql
-- Edge: a null score (pandas' rows of dicts) is no result · a value that is no number, or a name that counts or measures (count, took_ms) -> no such map
create or replace macro is_run(value) as json_type(value) = 'OBJECT'
    and coalesce(list_bool_and(list_transform(json_extract(value, '$.*'), lambda ir1: json_type(ir1) = 'NULL' or is_number(ir1))), true)
    and not coalesce(list_bool_or(list_transform(json_keys(value), lambda ir2: regexp_matches(lower(ir2),
        '^(n|num|count|counts|total|totals|took|size|hits|min|max|mean|page|limit|offset|time|latency|duration|status|code)(_|$)|_(ms|s|us|count|total|size|tokens|score)$'))), false);
create or replace macro run_hits(value) as list_sort(list_filter(
    list_transform(entries_in(value), lambda rh1, rh2: {'score': -try_cast(rh1.value as double), 'at': rh2, 'id': rh1.key}), lambda rh3: rh3.score is not null));

-- ids in one text, as read/cells.py reads a cell of a CSV file: JSON, a list as Python, PostgreSQL or Athena write it, else parted by the first of | ; , that occurs
-- Edge: an opening bracket without such a list behind it, an element that is no id -> null (no list), never an id
create or replace macro list_element() as '(''[^''\\]*''|"[^"\\]*"|[^\s\[\]{}"'',]+)';
create or replace macro is_list_text(text, opens, closes) as regexp_full_match(text, opens || '\s*' || list_element() || '(\s*,\s*' || list_element() || ')*\s*' || closes);
create or replace macro ids_or_none(values) as if(no_id_among(values), null, list_transform(values, lambda io1: id_of(io1)));
create or replace macro ids_in_text(value) as list_transform([trim(value, e' \t\r\n')], lambda it1: case
    when it1 is null or it1 in ('', 'null', 'NULL', '\N') then null
    when it1[1] = '[' and json_valid(it1) then ids_or_none(json_transform(it1, '["JSON"]'))
    when it1[1] = '[' then if(is_list_text(it1, '\[', '\]'), try_cast(it1 as varchar[]), null)
    when it1[1] = '{' and json_valid(it1) then if(it1 <> '{}' and is_run(it1::json), list_transform(run_hits(it1::json), lambda it3: it3.id), null)
    when it1[1] = '{' then if(is_list_text(it1, '\{', '\}'), try_cast('[' || it1[2:-2] || ']' as varchar[]), null)
    else list_transform(string_split(it1, case when contains(it1, '|') then '|' when contains(it1, ';') then ';' else ',' end), lambda it2: trim(it2)) end)[1];

create or replace macro ids_in_value(value) as list_transform([value], lambda iv1: case
    when json_type(iv1) = 'VARCHAR' then ids_in_text(iv1 ->> '$')
    when is_run(iv1) then list_transform(run_hits(iv1), lambda iv2: iv2.id) end)[1];

-- a list in the order of the ranks that its elements say, where those are 1 to n (or from 0) and stand in another order; ranks that are none (ts_rank of Postgres) order nothing
create or replace macro are_ranks(ranks) as list_sort(ranks) in (range(1, len(ranks) + 1)::double[], range(0, len(ranks))::double[]);
create or replace macro by_rank(values, ranks) as if(list_count(ranks) = len(values) and ranks <> list_sort(ranks) and are_ranks(ranks),
    list_transform(list_sort(list_zip(ranks, values)), lambda br1: br1[2]), values);

-- lists within lists one after the other; where none is there, none
create or replace macro flattened(lists) as if(len(lists) > 0 and list_count(lists) = 0, null, flatten(lists));

-- the first element of a list of results: its fields id, score and text, and all of it; whether one of them stands under another name
create or replace macro first_result(line, place) as json_extract_string(line, [place || '.id', place || '.score', place || '.text', place]);
create or replace macro is_odd_result(first) as coalesce(first[4] is not null and (first[1] is null or first[1][1] in ('[', '{')
    or (first[2] is null and regexp_matches(first[4], '"(_score|relevance_score|similarity|metadata)"'))
    or (first[3] is null and regexp_matches(first[4], '"(content|page_content|memory|node|document|kwargs)"'))), false);

-- status: ok unless the log says otherwise, in `status` (a word, or the code of an HTTP answer from 400 on) or in a boolean or text `error`
create or replace macro as_status(status, error) as case
    when list_contains(['error', 'fail', 'failed', 'failure', 'timeout', 'timed_out', 'exception', 'cancelled', 'canceled', 'aborted', 'internal_error', 'unavailable',
        'status_code_error'], lower(status)) or regexp_full_match(status, '[45]\d\d') then 'error'
    when error is not null and not list_contains(['false', '', '0', 'null', 'none'], lower(error)) then 'error'
    else 'ok' end;

-- what a label's grade or relevance says: a number, or a word for yes or no; null = empty (not judged), or not understood (is_misread)
create or replace macro relevance_of(value) as case
    when list_contains(['true', 't', 'yes', 'y', 'relevant'], lower(trim(value, e' \t\r\n'))) or try_cast(value as double) = 1 then true
    when list_contains(['false', 'f', 'no', 'n', 'irrelevant', 'not relevant', 'nonrelevant', 'non relevant'],
        lower(regexp_replace(trim(value, e' \t\r\n'), '[\s_-]+', ' ', 'g'))) or try_cast(value as double) = 0 then false end;
create or replace macro grade_of(value) as if(coalesce(isfinite(try_cast(value as double)), false), try_cast(value as double), relevance_of(value)::integer::double);
create or replace macro is_unjudged(value) as coalesce(trim(value, e' \t\r\n') = '', true);
create or replace macro is_misread(value, meaning) as meaning is null and not is_unjudged(value);

-- from when and up to when a label holds; empty, or before and after any event = without end
create or replace macro valid_moment(value) as if(is_unjudged(value), null, as_moment(trim(value)));
create or replace macro is_never_valid(since, until) as coalesce(until <= since, false) or coalesce(until < '1678-01-01T00:00:00Z'::timestamptz, false)
    or coalesce(since >= end_of_time(), false);

create or replace macro hop_of(value) as if(regexp_full_match(trim(value), '0*[1-9][0-9]{0,3}(\.0)?'), trim(value)::double::integer, null);  -- from 1

-- the kinds of labels, in the order they are preferred in; the kind that a label says, null = unknown
create or replace macro label_kinds() as ['human', 'judge', 'synthetic', 'click'];
create or replace macro default_kind() as 'human';
create or replace macro kind_of(kind, judge) as case when trim(coalesce(kind, '')) = '' then if(judge is null, default_kind(), 'judge')
    when list_contains(label_kinds(), lower(trim(kind))) then lower(trim(kind)) end;
create or replace macro probability_of(value) as if(try_cast(value as double) > 0 and try_cast(value as double) <= 1, try_cast(value as double), null);

create or replace macro object_of(entries) as
    ('{' || array_to_string(list_transform(entries, lambda e: to_json(e.key)::varchar || ':' || coalesce(to_json(e.value)::varchar, 'null')), ',') || '}')::json;

-- the id of a labelled document that is known by its text alone
create or replace macro text_id(text) as 'text:' || if(length(text) <= 60, text, left(text, 50) || '… #' || left(md5(text), 8));
-- the texts of a JSON value that is one text or a list of them; of an object, that of one key
-- a list of objects, each with a document's id, as ids, or as id -> grade where they have grades; anything else as it is
create or replace macro graded_entry(entry) as {
    'id': coalesce(entry ->> '$.document_id', entry ->> '$.doc_id', entry ->> '$.docId', entry ->> '$.docid', entry ->> '$.passage_id', entry ->> '$.chunk_id', entry ->> '$.doc_uri', entry ->> '$._id', entry ->> '$.id'),
    'grade': coalesce(entry -> '$.grade', entry -> '$.rating', entry -> '$.relevance', entry -> '$.judgment')};
create or replace macro listed_labels(entries, value) as case when list_bool_or(list_transform(entries, lambda ll2: ll2.id is null)) then value
    when list_bool_and(list_transform(entries, lambda ll3: ll3.grade is null)) then to_json(list_transform(entries, lambda ll4: ll4.id))
    else ('{' || array_to_string(list_transform(entries, lambda ll5: to_json(ll5.id)::varchar || ':' || coalesce(ll5.grade::varchar, 'null')), ',') || '}')::json end;
create or replace macro relevant_in(value) as if(json_type(value) = 'ARRAY' and json_type(value, '$[0]') = 'OBJECT',
    listed_labels(list_transform(json_transform(value, '["JSON"]'), lambda ri1: graded_entry(ri1)), value), value);
create or replace macro texts_in(value) as case coalesce(json_type(value), 'NULL') when 'ARRAY' then json_transform(value, '["VARCHAR"]')
    when 'OBJECT' then null when 'NULL' then null else [value ->> '$'] end;
-- the same, and names in one text parted by comma, semicolon or bar
create or replace macro names_in(value) as if(json_type(value) = 'VARCHAR', list_filter(
    list_transform(string_split_regex(value ->> '$', '[,;|]'), lambda n: trim(n)), lambda n: n <> ''), texts_in(value));
create or replace macro text_of_id(value, id) as if(json_type(value) = 'OBJECT', json_transform(value, '"MAP(VARCHAR, VARCHAR)"')[id], null);

-- a text as texts are compared: NFC, lower case; and the same with spaces about each character of a script that puts none between words
-- (NFC of a text beyond ASCII costs seven looks at it, and changes nothing where all letters are of scripts and blocks that NFC leaves alone: Latin, Cyrillic,
-- Kana and Han, punctuation, currency; no combining mark, no half of a composed letter among them)
create or replace macro nfc(text) as case when strlen(text) = length(text) then text
    when regexp_matches(text, '[^\x00-\x{2ff}\x{400}-\x{482}\x{48a}-\x{52f}\x{2010}-\x{2027}\x{2030}-\x{205e}\x{20a0}-\x{20c0}\x{3041}-\x{3096}\x{309d}-\x{30ff}\x{4e00}-\x{9fff}]')
        then nfc_normalize(text) else text end;
create or replace macro folded(text) as lower(nfc(text));
create or replace macro parted(text) as if(strlen(text) = length(text), text, regexp_replace(text,  -- ASCII holds no such script
    '([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*)', ' \1 ', 'g'));
