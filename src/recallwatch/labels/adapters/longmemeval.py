"""LongMemEval's question files (s, m or oracle), or rows of their labels alone: evidence as session ids."""

from __future__ import annotations

from pathlib import Path

from ...base.engine import Engine, exact_path
from ...base.errors import InputError
from .adapter import Adapter

_COLUMNS = (
    "{question_id: 'VARCHAR', question_type: 'VARCHAR', question: 'VARCHAR', "
    "answer_session_ids: 'VARCHAR[]', haystack_session_ids: 'VARCHAR[]', id: 'VARCHAR', eval_function: 'VARCHAR'}"
)
_LARGEST = 1 << 28  # bytes of one question with its haystack; the m set's are some 5 MB


def read(engine: Engine, path: Path, _queries: Path | None) -> None:
    """The file -> adapter_questions, adapter_segments.

    Raises:
        InputError: not JSON, a row without question_id, question_type or answer_session_ids, or questions of LongMemEval-V2.
    """
    with engine.reading(str(path)):
        engine.run(
            f"""create or replace table raw_longmemeval as select * from
            read_json($1, columns = {_COLUMNS}, maximum_object_size = {_LARGEST})""",
            [exact_path(path)],
        )
        _refuse_v2(engine, path)
        bad = engine.run(
            "select count(*), count(question_id), count(question_type), count(answer_session_ids) from raw_longmemeval"
        )
        if not bad[0][0] or len(set(bad[0])) > 1:
            what = "{} rows, {} with question_id, {} with question_type, {} with answer_session_ids".format(*bad[0])
            raise InputError(
                f"no LongMemEval questions ({what})", where=str(path), fix="Name longmemeval_s_cleaned.json or its like"
            )
        engine.file("1_normalise/labels_longmemeval.sql")


def _refuse_v2(engine: Engine, path: Path) -> None:
    """LongMemEval-V2 publishes questions, answers and haystacks, and not which trajectories of a haystack hold the answer."""
    total, named, second = engine.run(
        "select count(*), count(answer_session_ids), count(eval_function) filter (id is not null) from raw_longmemeval"
    )[0]
    if total and second == total and not named:
        what = (
            f"{total} questions of LongMemEval-V2, which name no evidence (no field answer_session_ids, nor one for trajectories)"
        )
        fix = "Score its right answers (docs/protocols.md), or name a file of your own that says which trajectories are right"
        raise InputError(what, where=str(path), fix=fix)


ADAPTER = Adapter(
    "longmemeval",
    "LongMemEval: evidence sessions; questions whose id ends in _abs have no right answer",
    read,
    {"session": ()},
    reference_level="session",
)
