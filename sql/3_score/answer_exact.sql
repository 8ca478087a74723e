-- answer_exact_at_k(answered, k): 1 if the logged answer is one of the right answers, after SQuAD's normalisation. k says nothing here.
-- In:   answered: struct(answer varchar, gold_answers varchar[]) of 2_judge/recalls.sql
-- Out:  double, 0 or 1, higher is better
-- Edge: no answer logged, or no gold answer -> null · status error -> answer '' (the consumer got nothing) · '' against '' -> 1
-- Source: Rajpurkar et al. 2016, SQuAD, evaluate-v1.1.py: exact_match_score, metric_max_over_ground_truths
-- lower case; ASCII punctuation removed; the words a, an, the removed; white space collapsed. Beyond SQuAD: NFC, and in scripts without
-- spaces a character is a word (tokens.sql)
create or replace macro answer_words(text) as list_filter(
    string_split_regex(regexp_replace(parted(folded(text)), '[!-/:-@\[-`{-~]', '', 'g'), '\s+'), lambda w: w not in ('', 'a', 'an', 'the'));
create or replace macro answer_exact_at_k(answered, k) as if(answered.answer is null, null,
    list_bool_or(list_transform(answered.gold_answers, lambda g: answer_words(g) = answer_words(answered.answer)))::integer::double);
