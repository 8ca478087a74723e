"""What one run is asked for, checked before any data is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from ..base.definition import Definition, columns_of, define
from ..base.engine import Engine
from ..base.options import Grouping, Limits, Measures, Period, Reading, Windows
from ..base.tracing import Watcher
from . import segments
from .binding import Cut

Group = TypeVar("Group")


@dataclass(frozen=True)
class Plan:
    """Everything one run is asked for, each part by whoever owns its options.

    Args:
        reading: how logs are read.
        period: which events count.
        cut: metric columns, segments, windows.
        definition: what the numbers mean.
        limits: threads and memory.
        preset: the ``compat`` that was named.
        per_query: whether the result carries each query's values.
        then: called with the engine once the result is read out (a report reads further views of sql/6_report).
        watcher: told each step and the engine at work (a progress bar).
    """

    reading: Reading
    period: Period
    cut: Cut
    definition: Definition
    limits: Limits
    preset: str | None = None
    per_query: bool = False
    then: Callable[[Engine], None] | None = None
    watcher: Watcher | None = None

    @property
    def needs_time(self) -> bool:
        """Whether there are windows, so that every event must have a time."""
        return self.cut.window != "all"

    def engine(self) -> Engine:
        """A new engine within the limits."""
        return Engine(threads=self.limits.threads, memory_limit=self.limits.memory_limit)

    def bare(self) -> Plan:
        """The same without whoever looks on: what can travel to another machine."""
        return replace(self, then=None, watcher=None)


def plan_of(compat: str | None, definition: Definition | None, options: Mapping[str, Any]) -> Plan:
    """Check every option before any data is read.

    Raises:
        UsageError: unknown option, metric or value.
    """
    left = {name: value for name, value in options.items() if value is not None}
    reading, period, limits = _taken(Reading, left), _taken(Period, left), _taken(Limits, left)
    measures, grouping, windows = _taken(Measures, left), _taken(Grouping, left), _taken(Windows, left)
    more = {name: left.pop(name) for name in ("per_query", "then", "watcher") if name in left}
    chosen = definition or define(compat, **left)
    columns = list(measures.columns)
    if chosen.f1 == "of_means":  # it is made of these two
        depths = [f1.k or "all" for f1 in columns if f1.metric == "f1"]
        parts = [c for k in depths for c in columns_of([f"recall@{k}", f"precision@{k}"], ())]
        columns += [c for c in parts if c not in columns]
    segments.groupings_of(grouping.by)  # refuses what is no column and no product of columns
    cut = Cut(tuple(columns), grouping.by, windows.window, windows.timezone)
    return Plan(reading, period, cut, chosen, limits, compat, **more)


def _taken(kind: type[Group], options: dict[str, Any]) -> Group:
    """A group made of its options, which are taken out."""
    names = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]  # every group is a dataclass
    return kind(**{name: options.pop(name) for name in names if name in options})


def paths_of(given: Any) -> list[str] | None:
    """The paths a caller gave; None where it gave data."""
    from os import PathLike, fspath

    if isinstance(given, str | PathLike):
        return [fspath(given)]
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | PathLike) for g in given):
        return [fspath(g) for g in given]
    return None
