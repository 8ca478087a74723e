"""`recallwatch.drift`: logs and labels in, a decided comparison of windows out."""

from __future__ import annotations

import dataclasses
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.definition import Definition, columns_of
from ..base.engine import Engine
from ..base.errors import InputError
from ..base.verdicts import FAMILIES
from ..evaluation.source import source_of
from ..scoring import segments
from ..scoring.binding import Cut
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work
from ..scoring.recalls import recalls
from ..store.snapshot import steadily
from ..store.source import StoredRecalls
from . import accepted, series, state, windows
from .lazy_state import Late
from .options import DRIFT, DriftWindows
from .settings import Settings
from .stored_state import Days
from .window_verdict import judge_window

if TYPE_CHECKING:
    from ..base.definition import Column
    from ..read import Logs
    from .result import Drift
    from .windows import Unit


@takes(DRIFT)
def drift(logs: Any = None, labels: Any = None, *, store: Any = None, asked: DriftWindows, settings: Settings, plan: Plan) -> Drift:
    """Say what moved between two windows of a recall log, by how much and where.

    Args:
        logs: path, folder, glob or a list of them; or an Arrow table or stream, Polars frame, DuckDB relation; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with.
        store: folder of a store, in place of logs; windows accepted there belong to the reference.
        {options}

    Returns:
        Drift: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: windows that overlap, are reversed or cannot be read; an unknown option (exit 2).
        InputError: logs or labels out of contract, no timestamps (exit 3).
    """
    cut = Cut(tuple(columns_of(("recall@10",), ())), segments.single_columns(asked.by), "day", asked.timezone)
    plan = dataclasses.replace(plan, cut=cut)
    source = source_of(logs, store)
    if source.home is not None and asked.accepted is None:
        asked = dataclasses.replace(asked, accepted=accepted.read(source.home.folder))
    elif isinstance(asked.accepted, str | PathLike):
        asked = dataclasses.replace(asked, accepted=accepted.read(Path(asked.accepted)))

    def work() -> Drift:
        with at_work(plan, "recallwatch.drift") as (engine, steps):
            found = recalls(engine, source, labels, plan, steps)
            days = Days(engine, source, plan) if isinstance(source, StoredRecalls) and not plan.period else None
            with steps("drift"):
                return examine(engine, plan, asked, settings, read=found.logs, days=days)

    return steadily(source.home, work)


def examine(
    engine: Engine,
    plan: Plan,
    asked: DriftWindows,
    settings: Settings,
    *,
    read: Logs,
    days: Days | None = None,
) -> Drift:
    """From the view `recalls` (of logs, or of a store) to the result."""
    extent = days.span if days is not None else engine.run('select min("timestamp"), max("timestamp") from recalls')[0]
    every, is_pair = _windows(extent, asked)
    further = {
        name: segments.by_expression(engine, name, dict(read.names), read.attributes)
        for name in asked.by
        if name not in state.SEGMENTS
    }
    span = [day for unit in every for day in unit.days]
    if days is not None:
        days.look_at(span)
    else:
        state.frame(engine, span)
    sums = days if days is not None and days.grain else None
    columns = _sum(engine, plan.definition, settings, further, sums)
    found = state.load(engine, columns, further, sums.late() if sums else Late(engine))
    if not found.events["n"].sum():
        what = f"no recall in any of the windows (the log runs from {extent[0]} to {extent[1]})"
        raise InputError(what, where="logs", fix="Check --reference, --current and --timezone")
    judge = partial(judge_window, found, plan.definition, settings)
    if is_pair:
        return judge(dict.fromkeys(FAMILIES, every[:-1]), every[-1])
    if sums is None:
        return series.examine(found, asked, settings, every, judge)
    words = [asked.timezone, *map(str, (settings, found.columns, further, found.judged))]
    verdicts = sums.verdicts(words, judge)
    result = series.examine(found, asked, settings, every, verdicts)
    verdicts.save()
    return result


def _windows(extent: tuple[Any, ...], asked: DriftWindows) -> tuple[list[Unit], bool]:
    """The windows in order of their role, the one under test last; whether it is a pair that was named."""
    if asked.reference is None or asked.current is None:
        return series.units(extent, asked), False
    refs, current = windows.pair(asked.reference, asked.current, asked.zone)
    return [*refs, current], True


def _sum(engine: Engine, definition: Definition, settings: Settings, by: dict[str, str], sums: Days | None) -> tuple[Column, ...]:
    """The state tables: of the events, or of what a store keeps of its days; returns the tested metrics."""
    if sums is None:
        state.map_events(engine)
    else:
        sums.load("days", lambda: state.map_events(engine), [])
        if sums.grain == "hour":
            sums.load("hours", lambda: engine.file("5_drift/state_hours.sql"), [])
            engine.file("5_drift/state_days.sql")
    columns = tested(engine, settings)
    if sums is None:
        state.map_quality(engine, definition, columns, by)
    else:
        words = [*map(str, columns), *(f"{name}={sql}" for name, sql in by.items())]
        sums.load("quality", lambda: state.map_quality(engine, definition, columns, by), words)
    return columns


def tested(engine: Engine, settings: Settings) -> tuple[Column, ...]:
    """The tested metrics; a k deeper than any list of the windows would test something else, so it is cut to that depth."""
    depth = engine.run("select max(depth) from state_events")[0][0] or 1
    columns = [column for name in settings.metrics for column in columns_of((name,), (None,))]
    return tuple(dataclasses.replace(c, k=min(c.k, depth)) if c.k is not None else c for c in columns)
