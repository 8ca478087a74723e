"""LongMemEval's question files (s, m or oracle), or rows of their labels alone: evidence as session ids."""

from __future__ import annotations

from pathlib import Path

from ...base.engine import Engine, exact_path
from ...base.errors import InputError
from .adapter import Adapter

_COLUMNS = (
    "{question_id: 'VARCHAR', question_type: 'VARCHAR', question: 'VARCHAR', "
    "answer_session_ids: 'VARCHAR[]', haystack_session_ids: 'VARCHAR[]'}"
)
_LARGEST = 1 << 28  # bytes of one question with its haystack; the m set's are some 5 MB


def read(engine: Engine, path: Path, _queries: Path | None) -> None:
    """The file -> adapter_questions, adapter_segments.

    Raises:
        InputError: not JSON, or a row without question_id, question_type or answer_session_ids.
    """
    with engine.reading(str(path)):
        engine.run(
            f"""create or replace table raw_longmemeval as select * from
            read_json($1, columns = {_COLUMNS}, maximum_object_size = {_LARGEST})""",
            [exact_path(path)],
        )
        bad = engine.run(
            "select count(*), count(question_id), count(question_type), count(answer_session_ids) from raw_longmemeval"
        )
        if not bad[0][0] or len(set(bad[0])) > 1:
            what = "{} rows, {} with question_id, {} with question_type, {} with answer_session_ids".format(*bad[0])
            raise InputError(
                f"no LongMemEval questions ({what})", where=str(path), fix="Name longmemeval_s_cleaned.json or its like"
            )
        engine.file("1_normalise/labels_longmemeval.sql")


ADAPTER = Adapter(
    "longmemeval",
    "LongMemEval: evidence sessions; questions whose id ends in _abs have no right answer",
    read,
    {"session": ()},
    reference_level="session",
)
