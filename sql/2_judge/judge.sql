-- judge(ranked_ids, label): one struct that says which labelled documents a ranking holds, at which rank.
-- In:   ranked_ids varchar[], best first (null element = unknown id: keeps its slot, never a hit);
--       label: relevant ids varchar[], or map id -> grade (opt_gain(), opt_rel_level() act on it), or a list of (document_id, gain, is_relevant),
--       or the label of labelled_queries, where all that depends on the label alone is made once a query
-- Out:  struct(hits struct(rank, gain, is_relevant)[]  every labelled document found, by rank; each once, at its first rank
--              ideal double[]  gains of all labels, descending · n_relevant · n_ranked)
-- Edge: repeated id -> its first rank, later slots earn nothing · [] -> no hits · label null (not labelled) -> null, ranked_ids null
--       (not logged) -> null, and every metric of a null is null · label [] (nothing is right) -> n_relevant 0
--       · ids are text: cast numbers, `judge(ids::varchar[], ...)`
-- what a grade earns and whether it is relevant: null = not graded, counts as 1 (as 0 where judged not relevant) · <= 0 = judged, gain 0
-- A gain without bounds would make every ratio of gains 1 or nothing: it is refused, never cut.
create or replace macro bounded_gain(gain, grade) as if(isfinite(grade::double) and gain < 1e300, gain,
    if(grade is null, null, error('rw:labels: the gain of grade ' || grade || ' is no finite number (--gain ' || opt_gain() || '). Mend the grade, or pass --gain linear or binary')));
create or replace macro unbounded_gain(grade) as case opt_gain()
    when 'binary' then (grade > 0)::double
    when 'exponential' then if(grade > 0, pow(2, grade) - 1, 0.0)
    when 'map' then greatest(coalesce(opt_gain_map()[grade], grade), 0.0)  -- a grade the map leaves out keeps its own value (trec_eval)
    else greatest(grade, 0.0) end;
create or replace macro gain_of(grade) as bounded_gain(unbounded_gain(grade), grade);
create or replace macro is_relevant_grade(grade) as if(opt_rel_level() is null, grade > 0, grade >= opt_rel_level());

-- how many labels decide a metric of gains: 0 = no label earns anything, null = not labelled
create or replace macro n_gains(judged) as (len(judged.ideal) > 0 and judged.ideal[1] > 0)::integer;

create or replace macro label_of_documents(documents) as {
    'documents': documents,
    'ideal': list_reverse_sort(list_transform(documents, lambda l: l.gain)),
    'n_relevant': len(list_filter(documents, lambda l: l.is_relevant))::integer };
create or replace macro label_of_ids(ids) as label_of_documents(
    list_transform(list_distinct(ids), lambda d: {'document_id': d, 'gain': 1.0::double, 'is_relevant': true}));
create or replace macro label_of_grades(grades) as label_of_documents(
    list_transform(map_entries(grades), lambda e: {'document_id': e.key, 'gain': gain_of(coalesce(e.value, 1.0)), 'is_relevant': is_relevant_grade(coalesce(e.value, 1.0))}));

create or replace macro judge_hits(ranked_ids, label, hits) as if(label is null or ranked_ids is null, null, {
    'hits': hits,
    'ideal': label.ideal,
    'n_relevant': label.n_relevant,
    'n_ranked': len(ranked_ids)::integer });
create or replace macro judge_label(ranked_ids, label) as judge_hits(ranked_ids, label, list_sort(list_filter(
    list_transform(label.documents, lambda l: {'rank': list_position(ranked_ids, l.document_id)::integer, 'gain': l.gain, 'is_relevant': l.is_relevant}),
    lambda h: h.rank > 0)));

-- a long label (long_labels.sql) has its documents in slots by hash, and a mark for each: an id whose mark is missing is none of them, the
-- others look in one slot, where the form above goes through the whole ranking for each label (20 times slower at 1,000 ids and 2,000 labels)
create or replace macro slot_of(document_id) as (hash(document_id) % 512)::bigint + 1;  -- constants: a length would be asked for each id
create or replace macro mark_of(document_id) as (hash(document_id) % 65536)::integer;
create or replace macro marked_ranks(ranked_ids, marks) as
    list_filter(range(1, len(ranked_ids) + 1), lambda r: get_bit(marks, mark_of(ranked_ids[r])) = 1);
create or replace macro hits_by_slot(ranked_ids, slots, marks) as list_transform(
    list_filter(
        list_filter(
            list_transform(marked_ranks(ranked_ids, marks),
                lambda r: {'rank': r::integer, 'label': list_filter(slots[slot_of(ranked_ids[r])], lambda l: l.document_id = ranked_ids[r])[1]}),
            lambda h: h.label is not null),
        lambda h: list_position(ranked_ids, h.label.document_id) = h.rank),  -- a repeated id counts at its first rank
    lambda h: {'rank': h.rank, 'gain': h.label.gain, 'is_relevant': h.label.is_relevant});
create or replace macro judge_slots(ranked_ids, label) as if(len(label.slots) > 0,
    judge_hits(ranked_ids, label, hits_by_slot(ranked_ids, label.slots, label.marks)), judge_label(ranked_ids, label));

create or replace macro judge
    (ranked_ids, label varchar[]) as judge_label(ranked_ids, if(label is null, null, label_of_ids(label))),
    (ranked_ids, label map(varchar, double)) as judge_label(ranked_ids, if(label is null, null, label_of_grades(label))),
    (ranked_ids, label struct(document_id varchar, gain double, is_relevant boolean)[]) as judge_label(ranked_ids, if(label is null, null, label_of_documents(label))),
    (ranked_ids, label struct(documents struct(document_id varchar, gain double, is_relevant boolean)[], ideal double[], n_relevant integer)) as judge_label(ranked_ids, label),
    (ranked_ids, label struct(documents struct(document_id varchar, gain double, is_relevant boolean)[], ideal double[], n_relevant integer,
        slots struct(document_id varchar, gain double, is_relevant boolean)[][], marks bit)) as judge_slots(ranked_ids, label);

-- what of a label an event needs: a long one's slots stand for its documents, and are not carried twice
create or replace macro label_of_event
    (label struct(documents struct(document_id varchar, gain double, is_relevant boolean)[], ideal double[], n_relevant integer)) as label,
    (label struct(documents struct(document_id varchar, gain double, is_relevant boolean)[], ideal double[], n_relevant integer,
        slots struct(document_id varchar, gain double, is_relevant boolean)[][], marks bit)) as if(label is null, null, {
        'documents': if(len(label.slots) > 0, [], label.documents), 'ideal': label.ideal, 'n_relevant': label.n_relevant, 'slots': label.slots, 'marks': label.marks });

-- an answer is an attribute of the event, under the first of these names
create or replace macro logged_answer(attributes) as coalesce(attributes['answer'], attributes['generated_answer'], attributes['response'],
    attributes['actual_output'], attributes['prediction']);

-- which question of several searches an event belongs to, within its tenant and variant: its trace's (session's), else one of its own ('e')
create or replace macro unit_of(trace_id, session_id, event_id, moment) as
    coalesce(if(opt_unit() = 'session', 's' || session_id, 't' || trace_id), 'e' || event_id || ' ' || coalesce(moment::varchar, ''));

-- of a question: which of its searches brought the first relevant document and which the last one (null = not all were brought), and where the
-- documents of each hop stand in the union
create or replace macro brought_by(searches, judged_ids, ids) as list_transform(ids, lambda d: coalesce(searches.brought[list_position(judged_ids, d)], 0));
create or replace macro searched_of(searches, judged_ids, hops, brought) as {
    'n': len(searches."list"), 'n_wasted': searches.n_wasted, 'n_repeated': searches.n_repeated, 'brought': searches.brought,
    'first_no': list_min(list_filter(brought, lambda b: b > 0)), 'last_no': if(list_min(brought) > 0, list_max(brought), null),
    'hops': list_transform(hops, lambda h: {'hop': h.hop, 'document_id': h.document_id, 'rank': coalesce(list_position(judged_ids, h.document_id), 0)}),
    'list': searches."list" };
create or replace macro judge_searches(searches, judged_ids, right_ids, hops) as if(right_ids is null, null,
    searched_of(searches, judged_ids, hops, brought_by(searches, judged_ids, right_ids)));
-- the same of the best union: the documents of a hop first
create or replace macro best_hops(hops) as {'hops': list_transform(hops, lambda h, i:
    {'hop': h.hop, 'rank': i - list_position(list_transform(hops, lambda x: x.hop), h.hop) + 1})};
-- ms from the start of the first search to the end of search no; tokens of the searches up to it; null where one is not known
create or replace macro ms_until(searched, no) as
    (epoch_us(searched."list"[no]."at") - epoch_us(searched."list"[1]."at")) / 1000.0 + searched."list"[no].ms;
create or replace macro tokens_until(searched, no) as if(list_bool_and(list_transform(searched."list"[1:no], lambda s: s.tokens is not null)),
    list_sum(list_transform(searched."list"[1:no], lambda s: s.tokens)), null);

-- which ranks hold a document that was right before and is not now
create or replace macro judge_dated(ranked_ids, expired) as if(ranked_ids is null or expired is null, null, {
    'stale': list_filter(range(1, len(ranked_ids) + 1), lambda r: list_contains(expired, ranked_ids[r])), 'n_ranked': len(ranked_ids)::integer });

-- a label without what only judge() looks at
create or replace macro plain_label(label) as if(label is null, null, {'documents': label.documents, 'ideal': label.ideal, 'n_relevant': label.n_relevant});

-- what a metric can reach at most with these labels: the best order by relevance for the binary metrics, and by gain for nDCG.
-- Not one ranking where a source tells relevance apart from the grade, so relevance and gain stand in hits of their own
create or replace macro ideal_judged(label) as {
    'hits': list_concat(
        list_transform(range(1, label.n_relevant + 1), lambda rank: {'rank': rank::integer, 'gain': 0.0::double, 'is_relevant': true}),
        list_transform(label.ideal, lambda gain, i: {'rank': i::integer, 'gain': gain, 'is_relevant': false})),
    'ideal': label.ideal,
    'n_relevant': label.n_relevant,
    'n_ranked': label.n_relevant };

-- the same with another bar: relevant, with a gain of 1, are the documents of this gain or more (--gain linear: of this grade), and no others
create or replace macro at_level(judged, level) as if(judged is null, null, {
    'hits': list_transform(judged.hits, lambda h: {'rank': h.rank, 'gain': (h.gain >= level)::double, 'is_relevant': h.gain >= level}),
    'ideal': list_transform(judged.ideal, lambda g: (g >= level)::double),
    'n_relevant': len(list_filter(judged.ideal, lambda g: g >= level))::integer,
    'n_ranked': judged.n_ranked });
