"""Relevance told by ids alone, or by texts as well: which SQL makes the view `recalls`."""

from ..base.engine import Engine
from ..base.errors import InputError


def make_recalls(engine: Engine) -> None:
    """labelled_queries and events_once -> the view `recalls`; texts are looked at only where ``--match`` names more than ids."""
    engine.file("2_judge/recalls.sql")
    if not engine.run("select by_id_only()")[0][0]:
        for name in ("tokens", "match", "recalls_by_text"):
            engine.file(f"2_judge/{name}.sql")


def refuse_texts_alone(engine: Engine) -> None:
    """Labels that have a text and no id, where ids are all that is looked at: nothing could ever be right.

    Raises:
        InputError: there are such labels; says how many, and where the first stands.
    """
    found = engine.run(
        """select min_by(source || ':' || source_line, (source, source_line)), count(*) from labels
        where by_id_only() and document_id = text_id(document_text) having count(*) > 0"""
    )
    if found:
        what = f"{found[0][1]} labels have a text and no id, so no id can be right"
        raise InputError(what, where=found[0][0], fix="Pass --match id,token_f1")


def refuse_answers_alone(engine: Engine) -> None:
    """Labels that have a gold answer and say nothing of documents, where metrics of the ranking are asked for.

    Raises:
        InputError: there are such queries; says how many, and where the first stands.
    """
    found = engine.run(
        """select min_by(r.first_at, q.label_no), count(distinct q.label_no), (select count(*) from labelled_queries) from labelled_queries as q
        inner join label_rows as r on r.query_key = q.query_key and r.document_id is null
        where opt_rankings() and q.is_answer_only having count(*) > 0"""
    )
    if found:
        where, n, n_all = found[0]
        what = f"{n} of {n_all} queries have a gold answer and no relevant ids, so only answers can be scored"
        fix = "Pass -m answer_exact -m answer_f1 alone, or add the ids ([] for a no-answer query)"
        raise InputError(what, where=where, fix=fix)
