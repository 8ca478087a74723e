"""LoCoMo's ``locomo10.json``: ten conversations, their sessions and questions, evidence as turn ids."""

from __future__ import annotations

from pathlib import Path

from ...base.engine import Engine, exact_path
from ...base.errors import InputError
from ...read.profile import Rule
from .adapter import Adapter

_SHAPE = '[{"sample_id": "VARCHAR", "conversation": "JSON", "qa": [{"question": "VARCHAR", "category": "INTEGER", "evidence": ["VARCHAR"]}]}]'
NAMESPACE = Rule(compose="{conversation}/{id}")


def read(engine: Engine, path: Path, _queries: Path | None) -> None:
    """The file -> adapter_questions, adapter_segments.

    Raises:
        InputError: not JSON, or JSON of another shape.
    """
    with engine.reading(str(path)):
        engine.run(
            f"""create or replace table raw_locomo as
            select c.sample_id as conversation, conversation_no, c.conversation as sessions, c.qa as qa from (
                select unnest(cs) as c, generate_subscripts(cs, 1) as conversation_no
                from (select json_transform(content, '{_SHAPE}') as cs from read_text($1))) where c.qa is not null""",
            [exact_path(path)],
        )
        if not engine.run("select count(*) from raw_locomo where conversation is not null and sessions is not null")[0][0]:
            what = "no LoCoMo conversations in there (a list of objects with sample_id, conversation, qa)"
            raise InputError(what, where=str(path), fix="Name locomo10.json of github.com/snap-research/LoCoMo")
        engine.file("1_normalise/labels_locomo.sql")


ADAPTER = Adapter(
    "locomo",
    "LoCoMo (locomo10.json): turn references become sessions or turns, named by conversation",
    read,
    {"session": (Rule(match=r"^(D\d+):", replace=r"\1", unmatched="drop"), NAMESPACE), "turn": (NAMESPACE,)},
    reference_level="turn",
)
