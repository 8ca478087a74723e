-- Relevance told by texts: which expected text each rank of a list satisfies, where opt_match() names more than ids.
-- In:   expected: list of expected_text(), the query's documents that have a text, ordered by id (expected_texts.expected)
--       texts varchar[]: the list's contents, one a rank · words: split_words() of each (2_judge/tokens.sql)
-- Out:  a list of numbers in `expected`, one a rank; null = the rank satisfies none
-- Rule: ranks are taken in order; each takes, of the expected texts it matches and no rank before it took, the one it matches best,
--       the first by id where it matches several equally. So the first k ranks say the same whatever stands below them.
-- Edge: an expected text without tokens never matches · a rank without a text, or with the id or the text of a rank before it, satisfies nothing
--       · token_f1: set_f1 >= its threshold · coverage: share of the expected tokens in the text >= its threshold
--       · exact: the same text, case and white space aside
create or replace macro expected_text(document_id, is_relevant, text) as
    {'document_id': document_id, 'has_id': document_id <> text_id(text), 'is_relevant': is_relevant, 'tokens': tokens_of(text), 'same': same_text(text),
        'begins': split_part(same_text(text), ' ', 1)};

-- contents in the order that is judged, one a rank of its ids; and the same without those that repeat an earlier rank (null)
create or replace macro texts_in_order(texts, ranked_ids, scores, n) as if(opt_order() = 'logged' and opt_duplicates() <> 'collapse',
    list_resize(texts, n), list_transform(positions(ranked_ids, scores), lambda p: texts[p]));
create or replace macro texts_once(texts, ids) as list_transform(texts, lambda t, r: if(
    list_position(texts, t) < r or (ids[r] is not null and list_position(ids, ids[r]) < r), null, t));
-- each as texts are the same, or null where it begins with another word than every expected one
create or replace macro same_texts(texts, expected) as list_transform(list_transform(texts, lambda t: folded(t)),
    lambda t: if(list_bool_or(list_transform(expected, lambda e: may_begin_with(t, e.begins))), spaced(t), null));

-- shared tokens, rank by expected text
create or replace macro shared_tokens(words, expected) as
    list_transform(words, lambda w: list_transform(expected, lambda e: n_shared(e.tokens, w)));
-- distinct tokens of each rank's text; null where even as few as it must have leave every F1 below the threshold
create or replace macro best_f1(shared, expected, n_found) as
    list_max(list_transform(shared, lambda s, j: set_f1(s, len(expected[j].tokens), greatest(s, n_found))));
create or replace macro text_sizes(words, shared, expected) as list_transform(words, lambda w, i: case
    when not best_f1(shared[i], expected, 0) >= opt_match_token_f1() then null
    when not best_f1(shared[i], expected, n_at_least(w)) >= opt_match_token_f1() then null
    else n_distinct(w) end);

-- how well each rank matches each expected text, by strategy; null = not at all
-- (a choice by strategy stands outside the lambdas: inside them it would be made anew for every pair)
create or replace macro n_tokens(e) as nullif(len(e.tokens), 0);
create or replace macro f1_values(expected, shared, sizes) as
    list_transform(shared, lambda s, i: list_transform(s, lambda n, j: set_f1(n, n_tokens(expected[j]), sizes[i])));
create or replace macro coverage_values(expected, shared) as
    list_transform(shared, lambda s: list_transform(s, lambda n, j: n / n_tokens(expected[j])));
create or replace macro exact_values(expected, sames) as
    list_transform(sames, lambda t: list_transform(expected, lambda e: if(t = e.same and len(e.tokens) > 0, 1.0::double, null)));
-- expected texts a rank matches, best first
create or replace macro matches_of("values", threshold) as list_transform(
    list_reverse_sort(list_filter(list_transform("values", lambda v, j: {'value': v, 'back': -j}), lambda m: m.value >= threshold)), lambda m: -m.back);
create or replace macro assigned(matches) as list_reduce(matches,
    lambda taken, wanted: list_append(taken, list_filter(wanted, lambda m: not coalesce(list_contains(taken, m), false))[1]), []::bigint[]);
create or replace macro satisfied("values", threshold) as assigned(list_transform("values", lambda v: matches_of(v, threshold)));
create or replace macro match_texts(strategy, expected, texts, shared, sizes) as case strategy
    when 'token_f1' then satisfied(f1_values(expected, shared, sizes), opt_match_token_f1())
    when 'coverage' then satisfied(coverage_values(expected, shared), opt_match_coverage())
    when 'exact' then satisfied(exact_values(expected, same_texts(texts, expected)), 1.0::double) end;

-- whether a list of hits, or of numbers in `expected`, holds anything relevant
create or replace macro has_relevant(hits) as coalesce(list_bool_or(list_transform(hits, lambda h: h.is_relevant)), false);
create or replace macro satisfies(taken, expected) as coalesce(list_bool_or(list_transform(taken, lambda t: expected[t].is_relevant)), false);

-- opt_match(): the nth strategy that goes by texts · whether any of them counts tokens
create or replace macro text_strategy(number) as opt_match()[if(list_position(opt_match(), 'id') between 1 and number, number + 1, number)];
create or replace macro needs_words() as list_has_any(opt_match(), ['token_f1', 'coverage']);
-- the nth of them, unless one before it found something
create or replace macro taken_by(number, is_found, expected, texts, shared, sizes) as if(text_strategy(number) is null or is_found or texts is null,
    null, match_texts(text_strategy(number), expected, texts, shared, sizes));
-- whether ids can say anything: the list has some, or is empty, and so has the label
create or replace macro can_go_by_id(has_ids, label, expected) as list_contains(opt_match(), 'id') and has_ids
    and (len(label.documents) = 0 or len(label.documents) > len(list_filter(coalesce(expected, []), lambda e: not e.has_id)));
-- the strategy that judges, by its place in opt_match(): the first that found something, else the first that can be tried
create or replace macro place_of(strategy) as nullif(list_position(opt_match(), strategy), 0);
create or replace macro place_found(is_found_by_id, found_no) as least(if(is_found_by_id, place_of('id'), null), place_of(text_strategy(found_no)));
create or replace macro place_tried(can_id, has_texts) as least(if(can_id, place_of('id'), null), if(has_texts, place_of(text_strategy(1)), null));
-- ranks whose text is the expected one
create or replace macro same_ranks(taken, texts, expected) as list_filter(list_filter(range(1, len(taken) + 1), lambda r: taken[r] is not null),
    lambda r: same_text(texts[r]) = expected[taken[r]].same);
