-- tokens_of(text): the distinct word tokens of a text; and what two texts have in common.
-- A token: a run of letters, marks, digits or underscores of any script, in lower case, after NFC; in scripts that put no spaces between
--       words (Han, Kana, Thai, Lao, Khmer, Myanmar) a character, with its marks, is a token of its own
-- In:   folded(), parted() of 1_normalise/values.sql
-- Edge: null -> null · a text of nothing but punctuation, or '' -> no tokens · linear in the text: 1 MB is read in a few hundredths of a second
-- the words in order, repeats and '' among them (what is no word is replaced, not each space; the marks that are many before the rest, as plain text)
create or replace macro without_marks(text) as replace(replace(replace(replace(replace(text, '.', ' '), ',', ' '), '-', ' '), '''', ' '), e'\n', ' ');
create or replace macro only_words(text) as if(regexp_matches(text, '[^a-z0-9_ ]'), regexp_replace(text, '[^\p{L}\p{M}\p{N}\p{Pc} ]+', ' ', 'g'), text);
-- (step by step over a list: what a lambda's body says twice is computed twice)
create or replace macro words_in(texts) as list_transform(list_transform(list_transform(texts, lambda t: folded(t)), lambda t: without_marks(parted(t))),
    lambda t: string_split(only_words(t), ' '));
create or replace macro split_words(text) as words_in([text])[1];
create or replace macro words_of(text) as list_filter(split_words(text), lambda w: w <> '');
create or replace macro tokens_of(text) as list_distinct(words_of(text));
-- the form in which two texts are equal: case and white space aside
create or replace macro same_text(text) as if(regexp_matches(text, '\s\s|[^\S ]|^ | $'),
    trim(regexp_replace(folded(text), '\s{2,}|[^\S ]', ' ', 'g')), folded(text));  -- single spaces are many, and stay

-- how many of some distinct tokens are among the words: looked up one by one where that is little work, else by hash
create or replace macro n_shared(tokens, words) as
    if(len(tokens) * len(words) < 100000, len(list_filter(tokens, lambda t: list_contains(words, t))), len(list_intersect(tokens, words)));
-- how many distinct tokens the words are; and a number it is never below, six times cheaper: which of 64 places they hash to
create or replace macro n_distinct(words) as list_unique(words) - list_contains(words, '')::integer;
create or replace macro n_at_least(words) as
    bit_count(list_bit_or(list_transform(words, lambda w: if(w = '', 0::ubigint, 1::ubigint << (hash(w) % 64)::ubigint))));

-- token F1 of two sets: harmonic mean of the shares of either that the other has
create or replace macro set_f1(n_shared, n_expected, n_found) as 2 * n_shared / (n_expected + n_found);
