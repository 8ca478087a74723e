-- err_at_k(judged, k, max): expected reciprocal rank at which a reader is satisfied; a document of grade g satisfies with (2^g - 1) / 2^max.
-- In:   judged: struct of 2_judge/judge.sql, gain linear; k: integer >= 1, null = whole list; max: the highest grade there is
-- Out:  double, ratio 0..1, higher is better
-- Edge: nothing found -> 0 · no label with gain, or not labelled -> null · a grade above max satisfies surely
-- Source: Chapelle et al. 2009, doi 10.1145/1645953.1646033; gdeval.pl (max = 4), which ir_measures runs
create or replace macro satisfied_hits(judged, k, highest) as list_transform(
    list_filter(judged.hits, lambda h: h.gain > 0 and (k is null or h.rank <= k)),
    lambda h: {'rank': h.rank, 's': least((power(2, h.gain) - 1) / power(2, highest), 1.0), 'still': 1.0::double,
        'err': least((power(2, h.gain) - 1) / power(2, highest), 1.0) / h.rank});
create or replace macro err_at_k(judged, k, max) as if(judged.ideal[1] > 0, if(len(satisfied_hits(judged, k, max)) = 0, 0.0,
    list_reduce(satisfied_hits(judged, k, max), lambda a, h: {'rank': h.rank, 's': h.s, 'still': a.still * (1 - a.s),
        'err': a.err + a.still * (1 - a.s) * h.s / h.rank}).err), null);
