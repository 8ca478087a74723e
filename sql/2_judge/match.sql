-- Relevance told by texts: which expected text each rank of a list satisfies, where opt_match() names more than ids.
-- In:   expected: list of expected_text(), the query's documents that have a text, ordered by id (labelled_queries.expected)
--       texts varchar[]: the list's contents, one a rank · words: split_words() of each (2_judge/tokens.sql)
-- Out:  a list of numbers in `expected`, one a rank; null = the rank satisfies none
-- Rule: ranks are taken in order; each takes, of the expected texts it matches and no rank before it took, the one it matches best,
--       the first by id where it matches several equally. So the first k ranks say the same whatever stands below them.
-- Edge: an expected text without tokens never matches · a rank without a text, or with the id or the text of a rank before it, satisfies nothing
--       · token_f1: set_f1 >= its threshold · coverage: share of the expected tokens in the text >= its threshold
--       · exact: the same text, case and white space aside
create or replace macro match_threshold(strategy) as opt_match_threshold()[strategy]::double;
create or replace macro expected_text(document_id, is_relevant, text) as
    {'document_id': document_id, 'has_id': document_id <> text_id(text), 'is_relevant': is_relevant, 'tokens': tokens_of(text), 'same': same_text(text)};

-- contents in the order that is judged; those that repeat an earlier rank are null
create or replace macro texts_at(positions, ids, texts) as list_transform(positions, lambda p, r: if(
    list_position(list_transform(positions, lambda q: texts[q]), texts[p]) < r
        or (ids[p] is not null and list_position(list_transform(positions, lambda q: ids[q]), ids[p]) < r), null, texts[p]));

create or replace macro same_texts(texts) as list_transform(texts, lambda t: same_text(t));

-- shared tokens, rank by expected text
create or replace macro shared_tokens(words, expected) as
    list_transform(words, lambda w: list_transform(expected, lambda e: n_shared(e.tokens, w)));
-- distinct tokens of each rank's text; null where even as few as it must have leave every F1 below the threshold
create or replace macro best_f1(shared, expected, n_found) as
    list_max(list_transform(shared, lambda s, j: set_f1(s, len(expected[j].tokens), greatest(s, n_found))));
create or replace macro text_sizes(words, shared, expected) as list_transform(words, lambda w, i: case
    when not best_f1(shared[i], expected, 0) >= match_threshold('token_f1') then null
    when not best_f1(shared[i], expected, n_at_least(w)) >= match_threshold('token_f1') then null
    else n_distinct(w) end);

create or replace macro match_values(strategy, expected, texts, shared, sizes) as list_transform(texts, lambda t, i: list_transform(expected, lambda e, j: case
    when t is null or len(e.tokens) = 0 then null
    when strategy = 'token_f1' then set_f1(shared[i][j], len(e.tokens), sizes[i])
    when strategy = 'coverage' then shared[i][j] / len(e.tokens)
    when strategy = 'exact' then (t = e.same)::integer::double end));
-- expected texts a rank matches, best first
create or replace macro matches_of("values", threshold) as list_transform(
    list_reverse_sort(list_filter(list_transform("values", lambda v, j: {'value': v, 'back': -j}), lambda m: m.value >= threshold)), lambda m: -m.back);
create or replace macro assigned(matches) as list_reduce(matches,
    lambda taken, wanted: list_append(taken, list_filter(wanted, lambda m: not coalesce(list_contains(taken, m), false))[1]), []::bigint[]);
create or replace macro match_texts(strategy, expected, texts, shared, sizes) as
    assigned(list_transform(match_values(strategy, expected, if(strategy = 'exact', same_texts(texts), texts), shared, sizes), lambda v: matches_of(v, coalesce(match_threshold(strategy), 1.0))));

-- whether a list of hits, or of numbers in `expected`, holds anything relevant
create or replace macro has_relevant(hits) as coalesce(list_bool_or(list_transform(hits, lambda h: h.is_relevant)), false);
create or replace macro satisfies(taken, expected) as coalesce(list_bool_or(list_transform(taken, lambda t: expected[t].is_relevant)), false);

-- opt_match(): ids alone? · the nth strategy that goes by texts · whether any of them counts tokens
create or replace macro by_id_only() as opt_match() = ['id'];
create or replace macro text_strategy(number) as list_filter(opt_match(), lambda s: s <> 'id')[number];
create or replace macro needs_words() as list_has_any(opt_match(), ['token_f1', 'coverage']);
-- the nth of them, unless one before it found something
create or replace macro taken_by(number, is_found, expected, texts, shared, sizes) as if(by_id_only() or text_strategy(number) is null or is_found or texts is null,
    null, match_texts(text_strategy(number), expected, texts, shared, sizes));
-- whether ids can say anything: the list has some, or is empty, and so has the label
create or replace macro can_go_by_id(has_ids, label, expected) as list_contains(opt_match(), 'id') and has_ids
    and (len(label.documents) = 0 or len(label.documents) > len(list_filter(coalesce(expected, []), lambda e: not e.has_id)));
-- the strategy that judges, by its place in opt_match(): the first that found something, else the first that can be tried
create or replace macro place_of(strategy) as nullif(list_position(opt_match(), strategy), 0);
create or replace macro place_found(is_found_by_id, found_no) as least(if(is_found_by_id, place_of('id'), null), place_of(text_strategy(found_no)));
create or replace macro place_tried(can_id, has_texts) as least(if(can_id, place_of('id'), null), if(has_texts, place_of(text_strategy(1)), null));
-- ranks whose text is the expected one
create or replace macro same_ranks(taken, texts, expected) as list_filter(range(1, len(taken) + 1), lambda r:
    coalesce(taken[r] is not null and same_text(texts[r]) = expected[taken[r]].same, false));
