"""MuSiQue's and HotpotQA's question files: supporting paragraphs by title, each with the step it is evidence of."""

from __future__ import annotations

from pathlib import Path

from ...base.engine import Engine, exact_path
from ...base.errors import InputError
from .adapter import Adapter

_COLUMNS = (
    "{id: 'VARCHAR', _id: 'VARCHAR', question: 'VARCHAR', type: 'VARCHAR', answerable: 'BOOLEAN', "
    "paragraphs: 'JSON', question_decomposition: 'JSON', supporting_facts: 'JSON', context: 'JSON'}"
)


def read(engine: Engine, path: Path, _queries: Path | None) -> None:
    """The file -> adapter_questions, adapter_segments, adapter_hops.

    Raises:
        InputError: not JSON, or a row without id, question, or supporting paragraphs of either form.
    """
    with engine.reading(str(path)):
        engine.run(f"create or replace table raw_multihop as select * from read_json($1, columns = {_COLUMNS})", [exact_path(path)])
        bad = engine.run(
            """select count(*), count(coalesce(id, _id)), count(question), count(coalesce(supporting_facts, paragraphs))
            from raw_multihop"""
        )
        if not bad[0][0] or len(set(bad[0])) > 1:
            what = "{} rows, {} with id, {} with question, {} with supporting_facts or paragraphs".format(*bad[0])
            fix = "Name musique_ans_v1.0_dev.jsonl, hotpot_dev_distractor_v1.json or their like"
            raise InputError(f"no questions of several hops ({what})", where=str(path), fix=fix)
        engine.file("1_normalise/labels_multihop.sql")


ADAPTER = Adapter(
    "multihop",
    "MuSiQue or HotpotQA: supporting paragraphs by title, each with its hop",
    read,
    {"title": ()},
    reference_level="title",
)
