"""State tables that only some findings ask for: made for the days that are asked about, when they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..base.engine import Engine

LATE = {
    "found": ("state_asked", "state_found"),
    "slowest": ("state_slowest",),
    "exceed": ("state_exceed",),
    "hours": ("state_latency", "state_query_hours"),
}


class Late:
    """Makes the tables of a kind of ``LATE``, and remembers what stands.

    Args:
        engine: holds the view drift_events.
        bring: makes the tables of a kind for some days, of what a store keeps; None = of drift_events.
        has_hours: whether the tables of kind ``hours`` stand for all days; else they are asked for, like the others.
    """

    def __init__(
        self, engine: Engine, *, bring: Callable[[str, list[int], list[str]], None] | None = None, has_hours: bool = True
    ) -> None:
        self._engine, self._bring, self._has_hours = engine, bring, has_hours
        self._held: dict[str, set[int]] = {}
        self._views: set[str] = set()

    def make(self, kind: str, days: list[int], words: list[str]) -> None:
        """The tables of a kind for some days; ``words`` say what else they depend on."""
        if self._bring is not None:
            self._bring(kind, days, words)
        else:
            self._engine.values("drift_wanted", {"day_no": "integer"}, [(day,) for day in days])
            self._engine.file(f"5_drift/state_{kind}.sql")

    def hold(self, kind: str, days: Iterable[int]) -> None:
        """The tables held_… of a kind, grown by the days that are not in them yet."""
        held = self._held.setdefault(kind, set())
        missing = sorted(set(days) - held)
        if not missing:
            return
        self.make(kind, missing, [])
        for table in LATE[kind]:
            kept = table.replace("state_", "held_")
            self._engine.run(
                f"insert into {kept} by name from {table}" if held else f"create or replace table {kept} as from {table}"
            )
        held.update(missing)

    def hours_of_latency(self, days: Iterable[int]) -> str:
        """Name of the table that has the times of these days by the hour."""
        if self._has_hours:
            return "state_latency"
        self.hold("hours", days)
        return "held_latency"

    def views(self, name: str) -> None:
        """A file of sql/5_drift that makes views, where it was not run yet."""
        if name not in self._views:
            self._engine.file(f"5_drift/{name}.sql")
            self._views.add(name)
