"""`recallwatch.drift`: logs and labels in, a decided comparison of windows out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from ..base.definition import Definition, columns_of, define
from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..base.tracing import Steps
from ..base.zone import zone_of
from ..evaluation import pipeline
from ..evaluation.source import steadily, store_among
from ..scoring import relations
from ..scoring.plan import split_options as request_options
from ..store import open_store
from . import FAMILIES, accepted, series, state, stored_state, windows
from .comparison import compare
from .lazy_state import Late
from .settings import Settings, settings_of

if TYPE_CHECKING:
    from ..base.definition import Column
    from ..evaluation.pipeline import Request
    from ..read import Logs
    from .result import Drift
    from .windows import Unit


@dataclasses.dataclass(frozen=True)
class Plan:
    """Which windows are compared.

    Args:
        reference, current: ``A..B`` each; None = the newest window against those before it.
        window: day or week, where the windows are not named.
        series: a verdict for every window.
        timezone: IANA name.
        accepted: windows taken into the reference although they failed: start, or (start, family).
        incomplete: whether a newest window that still fills up may be judged.
    """

    reference: str | None = None
    current: str | None = None
    window: str | None = None
    series: bool = False
    timezone: str = "UTC"
    accepted: Iterable[Any] | None = None
    incomplete: bool = False

    @property
    def zone(self) -> ZoneInfo:
        """The zone the windows are cut in.

        Raises:
            UsageError: no such zone.
        """
        return zone_of(self.timezone)


def drift(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    compat: str | None = None,
    definition: Definition | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> Drift:
    """Say what moved between two windows of a recall log, by how much and where.

    Args:
        logs: path, folder, glob or a list of them; or an Arrow table, Polars frame, DuckDB relation; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with.
        store: folder of a store, in place of logs; windows accepted there belong to the reference.
        compat: a preset of the metrics' definition.
        definition: a ready definition, instead of single options.
        settings: ready levels and floors, instead of single options.
        options: fields of :class:`Plan` (``reference="A..B"``, ``current="C..D"``, ``window``, ``series``, ``timezone``,
            ``accepted``), of :class:`~recallwatch.monitor.settings.Settings`, of :class:`~recallwatch.evaluation.pipeline.Request` (``by``, …)
            and of the definition.

    Returns:
        Drift: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: windows that overlap, are reversed or cannot be read; an unknown option (exit 2).
        InputError: logs or labels out of contract, no timestamps (exit 3).
    """
    plan, settings, request, wanted = split_options(options, settings)
    chosen = definition or define(compat, **wanted)
    _ = plan.zone
    given = store if store is not None else logs
    if given is None or (store is not None and logs is not None):
        raise UsageError("name logs, or a store, not both", where="drift", fix="drift(logs, labels) or drift(store=folder)")
    home = open_store(store) if store is not None else store_among(given)
    if home is not None and plan.accepted is None:
        plan = dataclasses.replace(plan, accepted=accepted.read(home.folder))
    engine = Engine(threads=request.threads, memory_limit=request.memory_limit)
    steps = Steps("recallwatch.drift", engine, request.watcher)
    try:

        def once() -> Drift:
            with steps("read"):
                read, days = prepare(engine, home or given, labels, chosen, request)
            with steps("drift"):
                return examine(engine, chosen, plan, settings, by=request.by, read=read, days=days)

        return steadily(home, once)
    finally:
        engine.close()


def split_options(options: Mapping[str, Any], settings: Settings | None) -> tuple[Plan, Settings, Request, dict[str, Any]]:
    """Options of the windows, of the tests, of the reading and of the definition, told by name."""
    plans, levels = ({entry.name for entry in dataclasses.fields(kind)} for kind in (Plan, Settings))
    plan = Plan(**{name: value for name, value in options.items() if name in plans and value is not None})
    chosen = settings or settings_of({name: value for name, value in options.items() if name in levels and value is not None})
    request, wanted = request_options({name: value for name, value in options.items() if name not in plans | levels})
    return plan, chosen, dataclasses.replace(request, timezone=plan.timezone), wanted


def prepare(
    engine: Engine, logs: Any, labels: Any, definition: Definition, request: Request, *, needs_time: bool = True
) -> tuple[Logs, stored_state.Days | None]:
    """Everything up to the view `recalls`; with ``needs_time`` a log without timestamps is refused.

    Returns:
        What the logs hold; the days of a store, where ``logs`` is one.
    """
    relations.bind(engine, definition, relations.Cut(tuple(columns_of(("recall@10",), ())), (), "day", request.timezone))
    home = store_among(logs)
    if home is not None:
        days = stored_state.prepare(engine, home, labels, definition, request, needs_time=needs_time)
        return days.logs, days
    read, _ = pipeline.read_both(engine, logs, labels, request)
    pipeline.accept(engine, read, dataclasses.replace(request, window="day" if needs_time else "all"))
    engine.run(
        "create or replace view drift_rejects as select source, reject_reason as reason from normalised where reject_reason is not null"
    )
    engine.run('create or replace view drift_firsts as select source, min("timestamp") as first_at from normalised group by source')
    relations.once(engine, has_ids=read.has_ids)
    relations.join_labels(engine, log_columns=set(read.names.values()), facts=read.facts)
    return read, None


def examine(
    engine: Engine,
    definition: Definition,
    plan: Plan,
    settings: Settings,
    *,
    read: Logs,
    by: Sequence[str] = (),
    days: stored_state.Days | None = None,
) -> Drift:
    """From the view `recalls` (of logs, or of a store) to the result."""
    extent = days.span if days is not None else engine.run('select min("timestamp"), max("timestamp") from recalls')[0]
    every, is_pair = _windows(extent, plan)
    further = {
        name: relations.by_expression(engine, name, dict(read.names), read.attributes) for name in by if name not in state.SEGMENTS
    }
    span = [day for unit in every for day in unit.days]
    if days is not None:
        days.look_at(span)
    else:
        state.frame(engine, span)
    sums = days if days is not None and days.grain else None
    columns = _sum(engine, definition, settings, further, sums)
    found = state.load(engine, columns, further, sums.late() if sums else Late(engine))
    if not found.events["n"].sum():
        what = f"no recall in any of the windows (the log runs from {extent[0]} to {extent[1]})"
        raise InputError(what, where="logs", fix="Check --reference, --current and --timezone")
    judge = partial(compare, found, definition, settings)
    if is_pair:
        return judge(dict.fromkeys(FAMILIES, every[:-1]), every[-1])
    if sums is None:
        return series.examine(found, plan, settings, every, judge)
    words = [plan.timezone, *map(str, (settings, found.columns, further, found.judged))]
    verdicts = sums.verdicts(words, judge)
    result = series.examine(found, plan, settings, every, verdicts)
    verdicts.save()
    return result


def _windows(extent: tuple[Any, ...], plan: Plan) -> tuple[list[Unit], bool]:
    """The windows in order of their role, the one under test last; whether it is a pair that was named."""
    if plan.reference is None or plan.current is None:
        return series.units(extent, plan), False
    refs, current = windows.pair(plan.reference, plan.current, plan.zone)
    return [*refs, current], True


def _sum(
    engine: Engine, definition: Definition, settings: Settings, by: dict[str, str], sums: stored_state.Days | None
) -> tuple[Column, ...]:
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
