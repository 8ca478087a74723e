-- answer_queries, answer_documents, answer_shares -> changed_answers, gone_documents, new_documents: what is behind a change of one pair, the last one measured.
-- In:   answer_judged(): the pair's number; opt_changed_overlap(): a query whose S is lower got another answer; held_answered for the words of a query
-- Out:  changed_answers: the most asked first, with the usual list of each side: the documents most recalls showed, as many as its mean length, by mean rank
--       gone_documents: share = of the reference's lists, n = recalls that showed it, of so many queries and windows; those that chance hides least first; new_documents likewise, now
-- Key:  changed_answers (query) · gone_documents, new_documents (document_id)
create or replace view changed_answers as
with ranked as (
    select d.*, c.length_r, c.length_c, row_number() over (partition by query order by d_r desc, rank_r / nullif(d_r, 0), document_id) as place_r,
        row_number() over (partition by query order by d_c desc, rank_c / nullif(d_c, 0), document_id) as place_c
    from answer_documents as d inner join answer_queries as c using (pair_no, query) where d.pair_no = answer_judged()
),
usual as (
    select query, list(document_id order by rank_r / d_r, document_id) filter (d_r > 0 and place_r <= round(length_r)) as before,
        list(document_id order by rank_c / d_c, document_id) filter (d_c > 0 and place_c <= round(length_c)) as after
    from ranked group by query
),
words as (
    select query, min(query_id) as query_id, min(query_text) as query_text, min(tenant_id) as tenant_id, min(query_class) as query_class
    from held_answered where day_no in (select day_no from answer_pairs where pair_no = answer_judged()) group by query
)
select w.query_id, w.query_text, w.tenant_id, w.query_class, c.s as overlap, c.n_r as n_reference, c.n_c as n_current,
    coalesce(u.before, []) as before, coalesce(u.after, []) as after, c.n_c * (1 - c.s) as recalls_differing
from answer_queries as c left join usual as u using (query) inner join words as w using (query)
where c.pair_no = answer_judged() and c.s < opt_changed_overlap()
order by recalls_differing desc, w.query_id, w.query_text, w.tenant_id;

create or replace view gone_documents as
select document_id, share_r as share, shown_r as n, n_queries, n_windows from answer_shares where pair_no = answer_judged() and is_gone
order by share_r * certain desc, share desc, document_id;

create or replace view new_documents as
select document_id, share_c as share, shown_c as n from answer_shares where pair_no = answer_judged() and is_new and shown_c > 0
order by share desc, document_id;
