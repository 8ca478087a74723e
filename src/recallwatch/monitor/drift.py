"""`recallwatch.drift`: logs and labels in, a decided comparison of windows out."""

from __future__ import annotations

import dataclasses
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.definition import Definition, columns_of
from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.verdicts import FAMILIES
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls
from ..scoring import segments
from ..scoring.binding import Cut
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work
from ..store.source import StoredRecalls
from . import accepted, series, state, windows
from .lazy_state import LazyTables
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
@on_one_state
def drift(
    logs: Any = None, labels: Any = None, *, store: Any = None, requested: DriftWindows, settings: Settings, plan: Plan
) -> Drift:
    """Say what moved between two windows of a recall log, by how much and where.

    Args:
        logs: path, folder, glob or a list of them; or a list of dicts, an Arrow table or stream, Polars frame, DuckDB relation; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with.
        store: folder of a store, in place of logs; windows accepted there belong to the reference.
        {options}

    Returns:
        Drift: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: windows that overlap, are reversed or cannot be read; an unknown option (exit 2).
        InputError: logs or labels out of contract, no timestamps (exit 3).

    Example:
        >>> asked = [(day, n) for day in range(1, 11) for n in range(20)]  # on the tenth day every second answer is another
        >>> logs = [{"query_id": f"q{n}", "timestamp": f"2026-11-{day:02}", "ranked_ids": [f"m{n}" if day < 10 or n % 2 else "m99"]} for day, n in asked]
        >>> labels = [{"query_id": f"q{n}", "relevant": [f"m{n}"]} for n in range(20)]
        >>> result = drift(logs, labels, reference="2026-11-01..2026-11-10", current="2026-11-10..2026-11-11")
        >>> result.to_polars().select("verdict", "metric").row(0), [round(value, 6) for value in result.to_polars().select("reference", "current").row(0)]
        (('fail', 'recall'), [1.0, 0.5])
    """
    cut = Cut(tested(settings), segments.single_columns(requested.by), "day", requested.timezone)
    plan = dataclasses.replace(plan, cut=cut)
    source = source_of(logs, store)
    if source.home is not None and requested.accepted is None:
        requested = dataclasses.replace(requested, accepted=accepted.read(source.home.folder))
    elif isinstance(requested.accepted, str | PathLike):
        requested = dataclasses.replace(requested, accepted=accepted.read(Path(requested.accepted)))
    with at_work(plan, "recallwatch.drift") as (engine, steps):
        scored = recalls(engine, source, labels, plan, steps)
        days = (
            Days(engine, source, plan)
            if isinstance(source, StoredRecalls) and not plan.period and not plan.definition.by_question
            else None
        )
        with steps("drift"):
            return examine(engine, plan, requested, settings, read=scored.logs, days=days)


def examine(
    engine: Engine,
    plan: Plan,
    requested: DriftWindows,
    settings: Settings,
    *,
    read: Logs,
    days: Days | None = None,
) -> Drift:
    """From the view `recalls` (of logs, or of a store) to the result."""
    extent = days.span if days is not None else engine.run('select min("timestamp"), max("timestamp") from recalls')[0]
    every, is_pair = _windows(extent, requested)
    expressions = {
        name: segments.by_expression(engine, name, dict(read.names), read.attributes)
        for name in requested.by
        if name not in state.SEGMENTS
    }
    span = [day for unit in every for day in unit.days]
    if days is not None:
        days.limit_to(span)
    else:
        state.frame(engine, span)
        state.views(engine, by_day=True)
    sums = days if days is not None and days.grain else None
    columns = _sum(engine, plan.definition, settings, expressions, sums)
    loaded = state.load(engine, columns, expressions, sums.lazy_tables() if sums else LazyTables(engine))
    if not loaded.events["n"].sum():
        what = f"no recall in any of the windows (the log runs from {extent[0]} to {extent[1]})"
        raise InputError(what, where="logs", fix="Check --reference, --current and --timezone")
    if sums is None:
        loaded.lazy.ensure("answers", [day.no for day in span])
    judge = partial(judge_window, loaded, plan.definition, settings)
    if is_pair:
        return judge(dict.fromkeys(FAMILIES, every[:-1]), every[-1])
    if sums is None:
        return series.examine(loaded, requested, settings, every, judge=judge, definition=plan.definition)
    inputs = [requested.timezone, *map(str, (settings, loaded.columns, expressions, loaded.judged, plan.definition.unjudged))]
    verdicts = sums.verdicts(inputs, judge)
    result = series.examine(loaded, requested, settings, every, judge=verdicts, definition=plan.definition)
    verdicts.save()
    return result


def _windows(extent: tuple[Any, ...], requested: DriftWindows) -> tuple[list[Unit], bool]:
    """The windows, the current one last; whether a pair was named."""
    if requested.reference is None or requested.current is None:
        return series.units(extent, requested), False
    if requested.baseline is not None:
        raise UsageError(
            "a baseline beside a named reference", where="--baseline", fix="It is for a series: leave --reference and --current out"
        )
    refs, current = windows.pair(requested.reference, requested.current, requested.zone)
    return [*refs, current], True


def _sum(engine: Engine, definition: Definition, settings: Settings, by: dict[str, str], sums: Days | None) -> tuple[Column, ...]:
    """The state tables, from the events or from the stored sums of days; returns the tested metrics."""
    if sums is None:
        state.map_events(engine)
    else:
        sums.load("days", lambda: state.map_events(engine), [])
        if sums.grain == "hour":
            sums.load("hours", lambda: engine.file("5_drift/state_hours.sql"), [])
            engine.file("5_drift/state_days.sql")
        sums.summed(
            "answers", lambda: engine.file("5_drift/state_answers.sql"), [], sums.chosen
        )  # all at once: they are loaded day by day
    columns = _within_lists(engine, tested(settings))
    state.value_events(engine, definition, columns)
    if sums is None:
        state.map_quality(engine, by)
    else:
        inputs = [*map(str, columns), *(f"{name}={sql}" for name, sql in by.items())]
        sums.load("quality", lambda: state.map_quality(engine, by), inputs)
    return columns


def tested(settings: Settings) -> tuple[Column, ...]:
    """The tested metrics, as they are named."""
    return tuple(column for name in settings.metrics for column in columns_of((name,), (None,)))


def _within_lists(engine: Engine, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """A k larger than the longest list would test something else, so it is reduced to that length."""
    depth = engine.run("select max(depth) from state_events")[0][0] or 1
    return tuple(dataclasses.replace(c, k=min(c.k, depth)) if c.k is not None else c for c in columns)
