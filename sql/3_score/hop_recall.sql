-- hop_recall_at_k(searched, k, hop): share of the relevant documents of one hop that stand in the first k ranks of a question's union.
-- In:   searched: struct of judge_searches() in 2_judge/judge.sql, of a question of --unit trace or session; k: integer >= 1, null = whole list;
--       hop: as the labels number them, from 1
-- Out:  double, ratio 0..1, higher is better
-- Edge: no relevant document of this hop, or not labelled -> null
-- Source: Trivedi et al. 2022, MuSiQue, doi 10.1162/tacl_a_00475 (supporting paragraphs by hop), as recall
create or replace macro hop_recall_at_k(searched, k, hop) as
    len(list_filter(searched.hops, lambda h: h.hop = hop and h.rank > 0 and (k is null or h.rank <= k)))
    / nullif(len(list_filter(searched.hops, lambda h: h.hop = hop)), 0);
