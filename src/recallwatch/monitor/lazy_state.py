"""State tables that only some findings need: computed on demand, for the days that are needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..base.engine import Engine

LAZY_TABLES = {
    "cells": ("state_cells",),
    "answers": ("state_answered", "state_answers"),
    "funnel": ("state_funnel",),
    "found": ("state_asked", "state_found"),
    "lists": ("state_lists",),
    "slowest": ("state_slowest",),
    "exceed": ("state_exceed",),
    "hours": ("state_latency", "state_query_hours"),
}
FILES = {"funnel": ("1_normalise/stage_lists", "5_drift/funnel_recalls", "4_aggregate/funnel", "5_drift/state_funnel")}


def made(engine: Engine, kind: str) -> None:
    """drift_events x drift_wanted -> the tables of a kind."""
    for name in FILES.get(kind, (f"5_drift/state_{kind}",)):
        engine.file(f"{name}.sql")


class LazyTables:
    """Computes the tables of each kind in ``LAZY_TABLES`` when a test needs them, and remembers which days they cover.

    Args:
        engine: holds the view drift_events.
        bring: computes the tables of a kind for some days from the sums in a store; None = from drift_events.
        has_hours: whether the tables of kind ``hours`` already cover all days; else they are computed like the others.
        together: days that are brought at once when any day is, where few recalls make each look cost the same.

    Attributes:
        measured: what a test made of some days, by these days: a later window's reference wants it again.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        bring: Callable[[str, list[int], list[str]], None] | None = None,
        has_hours: bool = True,
        together: Iterable[int] = (),
    ) -> None:
        self._engine, self._bring, self._has_hours, self._together = engine, bring, has_hours, set(together)
        self._ready: dict[str, set[int]] = {}
        self._views: set[str] = set()
        self.measured: dict[Any, Any] = {}

    def make(self, kind: str, days: list[int], words: list[str]) -> None:
        """Compute the tables of a kind for some days; ``words`` name what else they depend on."""
        if self._bring is not None:
            self._bring(kind, days, words)
        else:
            self._engine.values("drift_wanted", {"day_no": "integer"}, [(day,) for day in days])
            made(self._engine, kind)

    def ensure(self, kind: str, days: Collection[int], words: Sequence[str] = ()) -> None:
        """Add the days that the tables held_… of a kind lack; ``words`` name what else the sums depend on, always the same of a kind."""
        ready = self._ready.setdefault(kind, set())
        if ready.issuperset(days):
            return
        missing = sorted({*days, *self._together} - ready)
        self.make(kind, missing, list(words))
        for table in LAZY_TABLES[kind]:
            name = table.replace("state_", "held_")
            self._engine.run(
                f"insert into {name} by name from {table}" if ready else f"create or replace table {name} as from {table}"
            )
        ready.update(missing)

    def hours_of_latency(self, days: Collection[int]) -> str:
        """Name of the table with the latencies of these days by hour."""
        if self._has_hours:
            return "state_latency"
        self.ensure("hours", days)
        return "held_latency"

    def views(self, name: str) -> None:
        """Run a file of sql/5_drift that creates views, once."""
        if name not in self._views:
            self._engine.file(f"5_drift/{name}.sql")
            self._views.add(name)
