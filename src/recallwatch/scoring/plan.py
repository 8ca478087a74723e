"""The plan of one run: its options, checked before any data is read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..base.declared import Owned
from ..base.definition import Definition, Preset, columns_of
from ..base.engine import Engine
from ..base.options import Detail, Grouping, Limits, Measures, Period, Reading, Watching, Windows
from ..base.takes import ALL, Takes
from ..read.data import data_of
from ..read.given_records import given_files
from . import segments
from .binding import Cut

if TYPE_CHECKING:
    from ..base.tracing import Watcher

DATA = ("logs", "labels", "other")  # parameters that take paths, or a table in place of them

Group = TypeVar("Group", bound=Owned)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Plan:
    """The options of one run, by the group that owns them.

    Args:
        reading: how logs are read.
        period: which events count.
        cut: metric columns, segments, windows.
        definition: what the numbers mean.
        limits: threads and memory.
        preset: the ``compat`` that was named.
        per_query: whether the result carries each query's values.
        then: called with the engine once the result is read out (a report reads further views of sql/6_report).
        watcher: notified of each step and its engine (a progress bar).
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
        """Whether there are windows, so that events must have a time."""
        return self.cut.window != "all"

    def engine(self) -> Engine:
        """A new engine within the limits."""
        return Engine(threads=self.limits.threads, memory_limit=self.limits.memory_limit)

    def measuring(self, metrics: tuple[str, ...], by: tuple[str, ...] = ()) -> Plan:
        """The same for other columns and segments; a metric without k is at 10."""
        return replace(self, cut=replace(self.cut, columns=tuple(columns_of(metrics, (10,))), by=by))

    def bare(self) -> Plan:
        """The same without whoever looks on: what can travel to another machine."""
        return replace(self, then=None, watcher=None)


def plan_of(**options: Any) -> Plan:
    """A plan of any options, checked before any data is read.

    Raises:
        UsageError: unknown option, metric or value.
    """
    return planned(ALL.make(options))


def planned(made: Mapping[type[Owned], Any]) -> Plan:
    """The plan of some groups; what they do not say is as ever."""

    def of(kind: type[Group]) -> Group:
        return made[kind] if kind in made else kind()

    measures, windows, chosen = of(Measures), of(Windows), of(Definition)
    columns = list(measures.columns)
    if chosen.f1 == "of_means":  # it is made of these two
        depths = [f1.k or "all" for f1 in columns if f1.metric == "f1"]
        parts = [c for k in depths for c in columns_of([f"recall@{k}", f"precision@{k}"], ())]
        columns += [c for c in parts if c not in columns]
    by = of(Grouping).by
    segments.groupings_of(by)  # refuses names that are neither columns nor products of columns
    cut, detail = Cut(tuple(columns), by, windows.window, windows.timezone), of(Detail)
    return Plan(
        of(Reading), of(Period), cut, chosen, of(Limits), of(Preset).compat, detail.per_query, detail.then, of(Watching).watcher
    )


def takes(declared: Takes) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a function the options it declares, and no others; its signature and its help name each of them.

    It receives them checked: the shared groups as its parameter of type ``Plan``, each group of its own as the parameter of that
    type. In its docstring ``{options}`` stands for their lines.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        signature = inspect.signature(function)
        kinds: dict[str, type[Owned] | None] = {"Plan": None, **{group.__name__: group for group in declared.groups}}
        own = {name: p for name, p in signature.parameters.items() if p.annotation not in kinds}
        injected = {name: kinds[p.annotation] for name, p in signature.parameters.items() if name not in own}

        @functools.wraps(function)
        def wrapped(*arguments: Any, **given: Any) -> Result:
            rest = {name: given.pop(name) for name in own if name in given}
            made = declared.make(given, own)
            tables = [name for name in DATA if name != "logs" or "spark" not in own]  # a frame of Spark's stays where it is
            rest |= {name: planned(made) if kind is None else made[kind] for name, kind in injected.items()}
            with given_files() as files:
                arguments = tuple(data_of(v, name, files) if name in tables else v for name, v in zip(own, arguments, strict=False))
                return function(*arguments, **{name: data_of(v, name, files) if name in tables else v for name, v in rest.items()})

        wrapped.__signature__ = signature.replace(parameters=[*own.values(), *declared.parameters()])  # type: ignore[attr-defined]  # what inspect reads
        wrapped.__doc__ = declared.explained(function.__doc__)
        return wrapped

    return decorate


def paths_of(given: Any) -> list[str] | None:
    """The paths a caller gave; None where it gave data."""
    from os import PathLike, fspath

    if isinstance(given, str | PathLike):
        return [fspath(given)]
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | PathLike) for g in given):
        return [fspath(g) for g in given]
    return None
