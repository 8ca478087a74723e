"""Relevance told by ids alone, or by texts as well: which SQL makes the view `recalls`."""

from .engine import Engine
from .errors import InputError


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
