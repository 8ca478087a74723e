"""`recallwatch.drift`: logs and labels in, a decided comparison of windows out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .. import pipeline, scoring
from ..config import Definition, columns_of, define
from ..engine import Engine
from ..errors import InputError, UsageError
from ..tracing import Steps
from . import attribute, decide, health, labels, latency, locate, mix, quality, state, windows, words
from .decompose import decompose
from .result import Drift, iso
from .settings import Settings, settings_of
from .sides import Sides

if TYPE_CHECKING:
    from ..config import Column
    from ..pipeline import Request
    from ..read import Logs
    from .measured import Measured
    from .state import State
    from .windows import Unit

MEASURES = {
    "quality": quality.measure,
    "latency": latency.measure,
    "mix": mix.measure,
    "labels": labels.measure,
    "health": health.measure,
}


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
        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            raise UsageError(
                f"unknown time zone {self.timezone!r}", where="--timezone", fix="Use an IANA name such as Europe/Berlin"
            ) from None


def drift(
    logs: Any,
    labels: Any = None,
    *,
    compat: str | None = None,
    definition: Definition | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> Drift:
    """Say what moved between two windows of a recall log, by how much and where.

    Args:
        logs: path, folder, glob or a list of them; or an Arrow table, Polars frame, DuckDB relation.
        labels: the same; None = those the logs carry.
        compat: a preset of the metrics' definition.
        definition: a ready definition, instead of single options.
        settings: ready levels and floors, instead of single options.
        options: fields of :class:`Plan` (``reference="A..B"``, ``current="C..D"``, ``window``, ``series``, ``timezone``,
            ``accepted``), of :class:`~recallwatch.drift.settings.Settings`, of :class:`~recallwatch.pipeline.Request` (``by``, …)
            and of the definition.

    Returns:
        Drift: ``.to_dict()`` is the JSON of the command, ``str()`` the text.

    Raises:
        UsageError: windows that overlap, are reversed or cannot be read; an unknown option (exit 2).
        InputError: logs or labels out of contract, no timestamps (exit 3).
    """
    plan, settings, request, wanted = _split(options, settings)
    chosen = definition or define(compat, **wanted)
    _ = plan.zone
    engine = Engine(threads=request.threads, memory_limit=request.memory_limit)
    steps = Steps("recallwatch.drift", engine, request.watcher)
    try:
        with steps("read"):
            read = prepare(engine, logs, labels, chosen, request)
        with steps("drift"):
            return examine(engine, chosen, plan, settings, by=request.by, read=read)
    finally:
        engine.close()


def _split(options: Mapping[str, Any], settings: Settings | None) -> tuple[Plan, Settings, Request, dict[str, Any]]:
    plans, levels = ({entry.name for entry in dataclasses.fields(kind)} for kind in (Plan, Settings))
    plan = Plan(**{name: value for name, value in options.items() if name in plans and value is not None})
    chosen = settings or settings_of({name: value for name, value in options.items() if name in levels and value is not None})
    request, wanted = pipeline._split({name: value for name, value in options.items() if name not in plans | levels})
    return plan, chosen, dataclasses.replace(request, timezone=plan.timezone), wanted


def prepare(engine: Engine, logs: Any, labels: Any, definition: Definition, request: Request, *, needs_time: bool = True) -> Logs:
    """Everything up to the view `recalls`; with ``needs_time`` a log without timestamps is refused."""
    scoring.bind(engine, definition, scoring.Cut(tuple(columns_of(("recall@10",), ())), (), "day", request.timezone))
    if labels is not None:
        pipeline._labels(engine, labels, request)
    read = pipeline._logs(engine, logs, request)
    if labels is None:
        from ..read import read_carried_labels

        read_carried_labels(engine, read)
    pipeline.accept(engine, read, dataclasses.replace(request, window="day" if needs_time else "all"))
    scoring.once(engine, has_ids=read.has_ids)
    scoring.join_labels(engine, log_columns=set(read.names.values()))
    return read


def examine(
    engine: Engine, definition: Definition, plan: Plan, settings: Settings, *, by: Sequence[str] = (), read: Logs | None = None
) -> Drift:
    """From the view `recalls` (of logs, or of a store) to the result."""
    from . import series

    units = series.units(engine, plan) if plan.reference is None or plan.current is None else None
    if units is None:
        refs, current = windows.pair(str(plan.reference), str(plan.current), plan.zone)
        every = [*refs, current]
    else:
        every = units
    columns = tested(engine, settings)
    names, attributes = (dict(read.names), read.attributes) if read else ({}, ())
    further = {name: scoring.by_expression(engine, name, names, attributes) for name in by if name not in state.SEGMENTS}
    state.build(engine, definition, columns, [day for unit in every for day in unit.days], further)
    found = state.load(engine, columns, further)
    if not found.events["n"].sum():
        first, last = engine.run('select min("timestamp"), max("timestamp") from recalls')[0]
        what = f"no recall in any of the windows (the log runs from {first} to {last})"
        raise InputError(what, where="logs", fix="Check --reference, --current and --timezone")
    if units is not None:
        return series.examine(found, definition, plan, settings, every)
    return compare(found, definition, settings, dict.fromkeys(MEASURES, refs), current)


def tested(engine: Engine, settings: Settings) -> tuple[Column, ...]:
    """The tested metrics; a k deeper than any logged list would test something else, so it is cut to the list's depth."""
    depth = engine.run("select max(greatest(len(ranked_ids), coalesce(top_k, 0))) from events_once")[0][0] or 1
    columns = [column for name in settings.metrics for column in columns_of((name,), (None,))]
    return tuple(dataclasses.replace(c, k=min(c.k, depth)) if c.k is not None else c for c in columns)


def compare(found: State, definition: Definition, settings: Settings, refs: Mapping[str, Sequence[Unit]], current: Unit) -> Drift:
    """One window against the reference of each family."""
    sides = {family: Sides(found, refs[family], current, settings) for family in MEASURES}
    tests: list[Measured] = []
    for family, measure in MEASURES.items():
        tests += measure(sides[family])
    first = next((t for t in tests if t.test == "quality"), None)
    for test in tests:
        if test.test == "quality":
            test.extra["is_first"] = test is first
    findings = decide.decide(tests, settings, history={family: side.has_history for family, side in sides.items()})
    locate.fill(findings, sides)
    _doubt_labels(findings)
    verdict = decide.verdict_of(findings)
    told = words.headline(findings, verdict, iso(current.start), attribute.coincidences(sides["quality"]))
    rows = tuple(decompose(found, column, *sides["quality"].days) for column in found.columns)
    return Drift(
        {**definition.options(), "fingerprint": definition.fingerprint},
        {**window_row(found, refs["quality"]), "windows": {family: spans(refs[family]) for family in ("quality", "latency")}},
        window_row(found, [current]),
        verdict,
        told,
        tuple(findings),
        rows,
    )


def _doubt_labels(findings: Sequence[decide.Finding]) -> None:
    """Quality speaks through the labels: where these no longer fit, every quality sentence says so."""
    if any(f.family == "labels" and f.verdict == "fail" for f in findings):
        for found in findings:
            if found.family == "quality":
                found.reason += "; labels no longer represent the traffic"


def window_row(found: State, units: Sequence[Unit]) -> dict[str, Any]:
    """What a window holds."""
    days = [n for unit in units for n in unit.numbers]
    counts = {
        name: found.total(f"n_{name}" if name != "events" else "n", days) for name in ("events", "labelled", "error", "empty")
    }
    return {
        "from": iso(min(unit.start for unit in units)) if units else None,
        "to": iso(max(unit.end for unit in units)) if units else None,
        "events": counts["events"],
        "labelled_events": counts["labelled"],
        "error_events": counts["error"],
        "empty_rankings": counts["empty"],
        "days": len(days),
    }


def spans(units: Sequence[Unit]) -> list[list[str]]:
    """Windows as [from, to), ISO times: the reference of each family, which its own failures and acceptances shape."""
    return [[iso(unit.start), iso(unit.end)] for unit in units]
