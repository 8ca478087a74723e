-- answer_f1_at_k(answered, k): token F1 of the logged answer and the right one, words counted as often as they stand; the best of several.
-- In:   answered: struct(answer varchar, gold_answers varchar[]) of 2_judge/recalls.sql · k says nothing here
-- Out:  double, ratio 0..1, higher is better
-- Edge: no answer logged, or no gold answer -> null · status error -> answer '' -> 0 · '' against '' -> 1 · the words are those of answer_exact
-- Source: Rajpurkar et al. 2016, SQuAD, evaluate-v1.1.py: f1_score, metric_max_over_ground_truths; either empty: SQuAD 2.0's
-- every word with the number of its turn, so that what two texts share is what two sets share (by hash: linear in the texts)
create or replace macro word_turns(words) as flatten(list_transform(map_entries(coalesce(list_aggregate(words, 'histogram'), map([]::varchar[], []::ubigint[]))),
    lambda e: list_transform(range(1, e.value::bigint + 1), lambda n: {'word': e.key, 'turn': n})));
create or replace macro words_f1(words, gold) as if(len(words) = 0 or len(gold) = 0, (len(words) = len(gold))::integer::double,
    2 * len(list_intersect(word_turns(words), word_turns(gold))) / (len(words) + len(gold)));
create or replace macro answer_f1_at_k(answered, k) as if(answered.answer is null, null,
    list_max(list_transform(answered.gold_answers, lambda g: words_f1(answer_words(answered.answer), answer_words(g)))));
