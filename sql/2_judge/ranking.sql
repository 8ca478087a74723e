-- The list that is judged: order, repeats and depth as the definition says. Defaults leave the logged list alone.
-- In:   ranked_ids varchar[], scores double[]
-- Edge: order = score: highest score first, null scores last, ties by id in byte order (trec_eval: last id first), an unknown
--       id last of its tie · a score that is no finite number counts as null · no scores, all null, or not one for each id: they cannot
--       order the list, it stays as logged
--       · duplicates = error: a repeated id refuses the log, with the event's name
create or replace macro with_scores(ranked_ids, scores) as
    list_transform(ranked_ids, lambda d, i: {'score': if(coalesce(isfinite(scores[i]::double), false), scores[i]::double, '-infinity'::double), 'is_known': d is not null, 'id': d});
create or replace macro can_order(ranked_ids, scores) as coalesce(len(scores) = len(ranked_ids) and list_bool_or(list_transform(scores, lambda s: isfinite(s::double))), false);
create or replace macro by_score(ranked_ids, scores) as case
    when not can_order(ranked_ids, scores) then ranked_ids
    when opt_ties() = 'docno_desc' then list_transform(list_reverse_sort(with_scores(ranked_ids, scores)), lambda p: p.id)
    else list_transform(list_sort(list_transform(with_scores(ranked_ids, scores), lambda p: {'s': -p.score, 'is_unknown': not p.is_known, 'id': p.id})), lambda p: p.id) end;
create or replace macro collapse_repeats(ranked_ids) as
    list_filter(ranked_ids, lambda d, i: d is null or list_position(ranked_ids, d) = i);
-- its three steps, each of which names its list more than once: recalls.sql makes a column of each, so that none stands there again and again
create or replace macro in_order(ranked_ids, scores) as if(opt_order() = 'score', by_score(ranked_ids, scores), ranked_ids);
create or replace macro without_repeats(ranked_ids) as if(opt_duplicates() = 'collapse', collapse_repeats(ranked_ids), ranked_ids);
create or replace macro to_depth(ranked_ids) as if(opt_depth() is null, ranked_ids, list_slice(ranked_ids, 1, opt_depth()));
create or replace macro judged_list(ranked_ids, scores) as to_depth(without_repeats(in_order(ranked_ids, scores)));

-- where each id of judged_list(ranked_ids, scores) stands in the logged list: what brings its texts into the same order
create or replace macro positions_by_score(ranked_ids, scores) as case
    when not can_order(ranked_ids, scores) then range(1, len(ranked_ids) + 1)
    when opt_ties() = 'docno_desc' then list_transform(list_reverse_sort(list_transform(with_scores(ranked_ids, scores), lambda p, i: {'p': p, 'back': -i})), lambda p: -p.back)
    else list_transform(list_sort(list_transform(with_scores(ranked_ids, scores), lambda p, i: {'s': -p.score, 'is_unknown': not p.is_known, 'id': p.id, 'i': i})), lambda p: p.i) end;
create or replace macro whole_positions(ranked_ids, scores) as
    if(opt_order() = 'score', positions_by_score(ranked_ids, scores), range(1, len(ranked_ids) + 1));
create or replace macro positions(ranked_ids, scores) as list_slice(
    if(opt_duplicates() = 'collapse',
        list_filter(whole_positions(ranked_ids, scores), lambda p, r: ranked_ids[p] is null
            or list_position(list_transform(whole_positions(ranked_ids, scores), lambda q: ranked_ids[q]), ranked_ids[p]) = r),
        whole_positions(ranked_ids, scores)), 1, coalesce(opt_depth(), len(ranked_ids)));

-- what a list shows about its log: an id at two ranks, scores that rise along the list (the order is kept all the same)
-- (positions: four times faster than counting distinct ids or sorting, up to about 100 ids. Of more, hashes in order: two equal neighbours are
-- an id twice where their ids are equal, and only where they are not all ids are counted. Lists of one: what stands in a lambda is made for each element)
create or replace macro hashes_of(ids) as list_transform(ids, lambda d: if(d is null, null, (hash(d) >> 32)::uinteger));
create or replace macro hash_twice(hashes) as list_transform([list_sort(hashes)], lambda l: list_filter(l, lambda h, i: h = l[i - 1])[1])[1];
create or replace macro first_with(ids, hashes, h) as ids[list_position(hashes, h)];
create or replace macro repeats_hash(ids, hashes, h) as case when h is null then false
    when first_with(ids, hashes, h) = first_with(list_reverse(ids), list_reverse(hashes), h) then true else list_unique(ids) < list_count(ids) end;
create or replace macro has_repeats_long(ids) as list_transform([hashes_of(ids)],
    lambda hashes: list_transform([hash_twice(hashes)], lambda h: repeats_hash(ids, hashes, h))[1])[1];
create or replace macro has_repeats(ranked_ids) as if(len(ranked_ids) > 100, has_repeats_long(ranked_ids),
    coalesce(list_bool_or(list_transform(ranked_ids, lambda d, i: list_position(ranked_ids, d) < i and d is not null)), false));
create or replace macro is_out_of_order(scores) as coalesce(len(list_filter(scores, lambda s, i: s > scores[i - 1])) > 0, false);
create or replace macro refuse_repeats(event_id, ranked_ids) as if(opt_duplicates() = 'error' and has_repeats(ranked_ids),
    error('rw:event ''' || event_id || ''' repeats an id in its ranking. Mend the log, or pass --duplicates slot or collapse'), ranked_ids);

-- the same for SQL by hand, where no event has a name
create or replace macro ranking(ranked_ids, scores) as judged_list(refuse_repeats('(one ranking)', ranked_ids), scores);
