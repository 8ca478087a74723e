-- tokens_of(text): the distinct word tokens of a text; and what two texts have in common.
-- A token: a run of letters, marks, digits or underscores of any script, in lower case, after NFC; in scripts that put no spaces between
--       words (Han, Kana, Thai, Lao, Khmer, Myanmar) a character, with its marks, is a token of its own
-- In:   folded(), parted() of 1_normalise/values.sql
-- Edge: null -> null · a text of nothing but punctuation, or '' -> no tokens · linear in the text: 1 MB is read in a few hundredths of a second
-- The words in order, repeats and '' among them. What is no word becomes a space, not each space. A regular expression costs as much as all the rest
-- together, so the usual marks are replaced as plain text, the others looked for letter by letter, and it runs only where something is left.
create or replace macro without_stops(text) as replace(replace(replace(replace(text, ', ', ' '), '. ', ' '), '.', ' '), ',', ' ');
create or replace macro has_mark(text) as contains(text, e'\n') or contains(text, '-') or contains(text, '''') or contains(text, '"') or contains(text, '(')
    or contains(text, ')') or contains(text, ':') or contains(text, '/') or contains(text, '?') or contains(text, '!') or contains(text, ';');
create or replace macro without_marks(text) as if(has_mark(text), replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    text, e'\n', ' '), '-', ' '), '''', ' '), '"', ' '), '(', ' '), ')', ' '), ':', ' '), '/', ' '), '?', ' '), '!', ' '), ';', ' '), text);
-- whether more than a-z, 0-9, _ and spaces may be left: not ASCII, what JSON escapes (control characters, backslash), or one of these
create or replace macro has_rest(text) as strlen(text) <> length(text) or strlen(to_json(text)) <> strlen(text) + 2
    or contains(text, '#') or contains(text, '$') or contains(text, '%') or contains(text, '&') or contains(text, '*') or contains(text, '+') or contains(text, '<')
    or contains(text, '=') or contains(text, '>') or contains(text, '@') or contains(text, '[') or contains(text, ']') or contains(text, '^') or contains(text, '`')
    or contains(text, '{') or contains(text, '|') or contains(text, '}') or contains(text, '~') or contains(text, e'\x7f');
create or replace macro without_rest(text) as if(has_rest(text), regexp_replace(text, '[^\p{L}\p{M}\p{N}\p{Pc} ]+', ' ', 'g'), text);
-- (step by step over a list: what a lambda's body says twice is computed twice)
create or replace macro words_in(texts) as list_transform(list_transform(list_transform(list_transform(texts, lambda t: folded(t)),
    lambda t: without_stops(parted(t))), lambda t: without_marks(t)), lambda t: string_split(without_rest(t), ' '));
create or replace macro split_words(text) as words_in([text])[1];
create or replace macro words_of(text) as list_filter(split_words(text), lambda w: w <> '');
create or replace macro tokens_of(text) as list_distinct(words_of(text));
-- the form in which two texts are equal: case and white space aside
create or replace macro spaced(folded_text) as if(regexp_matches(folded_text, '\s\s|[^\S ]|^ | $'),
    trim(regexp_replace(folded_text, '\s{2,}|[^\S ]', ' ', 'g')), folded_text);  -- single spaces are many, and stay
create or replace macro same_text(text) as spaced(folded(text));
-- false = a folded text is surely not the same as one, already spaced, that begins with this word (one that begins otherwise than with visible ASCII may be)
create or replace macro may_begin_with(folded_text, word) as starts_with(folded_text, word) or not coalesce(ascii(folded_text) between 33 and 126, false);

-- how many of some distinct tokens are among the words: looked up one by one where that is little work, else by hash
create or replace macro n_shared(tokens, words) as
    if(len(tokens) * len(words) < 100000, len(list_filter(tokens, lambda t: list_contains(words, t))), len(list_intersect(tokens, words)));
-- how many distinct tokens the words are; and a number it is never below, six times cheaper: which of 64 places they hash to
create or replace macro n_distinct(words) as list_unique(words) - list_contains(words, '')::integer;
create or replace macro n_at_least(words) as
    bit_count(list_bit_or(list_transform(words, lambda w: if(w = '', 0::ubigint, 1::ubigint << (hash(w) % 64)::ubigint))));

-- token F1 of two sets: harmonic mean of the shares of either that the other has
create or replace macro set_f1(n_shared, n_expected, n_found) as 2 * n_shared / (n_expected + n_found);
