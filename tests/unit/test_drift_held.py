"""Rows that say where a change lies are held once, also when the work on a store begins again."""

from __future__ import annotations

import dataclasses

from recallwatch.drift.state import State
from recallwatch.engine import Engine


def made(engine: Engine) -> State:
    """A state whose kind `slowest` has one row a day, and nothing else."""

    def bring(kind: str, days: list[int], words: list[str]) -> None:
        engine.run(f"create or replace table state_{kind} as select unnest({days}) as day_no, 'total' as stage")

    given = {entry.name: None for entry in dataclasses.fields(State) if entry.default_factory is dataclasses.MISSING}
    return State(**{**given, "engine": engine, "bring": bring})  # type: ignore[arg-type]  # only the engine is asked here


def test_days_are_added_once_and_a_new_state_begins_anew() -> None:
    """A day asked for twice stays one row, a further day is added; the second attempt of a reader starts from nothing."""
    engine = Engine()
    try:
        for _ in range(2):
            state = made(engine)
            for days in ([0], [0, 1], [1]):
                state.hold("slowest", days)
            assert engine.run("select day_no from held_slowest order by day_no") == [(0,), (1,)]
    finally:
        engine.close()
