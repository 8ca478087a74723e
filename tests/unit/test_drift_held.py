"""Rows that say where a change lies are stored once, also when the work on a store begins again."""

from __future__ import annotations

from recallwatch.base.engine import Engine
from recallwatch.monitor.lazy_state import LazyTables


def made(engine: Engine) -> LazyTables:
    """Tables whose kind `slowest` has one row a day."""

    def bring(kind: str, days: list[int], words: list[str]) -> None:
        engine.run(f"create or replace table state_{kind} as select unnest({days}) as day_no, 'total' as stage")

    return LazyTables(engine, bring=bring)


def test_days_are_added_once_and_a_new_attempt_begins_anew() -> None:
    """A day requested twice stays one row, a further day is added; the second attempt of a reader starts from nothing."""
    engine = Engine()
    try:
        for _ in range(2):
            lazy = made(engine)
            for days in ([0], [0, 1], [1]):
                lazy.ensure("slowest", days)
            assert engine.run("select day_no from held_slowest order by day_no") == [(0,), (1,)]
    finally:
        engine.close()
