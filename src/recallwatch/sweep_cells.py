"""A log cut by variant (and by repeat): scored, timed and counted per cell, ready for the read-outs of pareto and stability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from . import pipeline, scoring
from .drift import kept
from .engine import Engine
from .errors import UsageError
from .measure import accept, map_rest, refuse_no_match
from .read import Logs
from .request import Plan
from .store.layout import Store
from .tracing import Steps

T = TypeVar("T")


def with_cells(name: str, logs: Any, labels: Any, plan: Plan, read_out: Callable[[Engine, Logs], T]) -> T:
    """Score a log or a store by the segments of ``plan.cut.by``, and read something out of the engine.

    Args:
        name: of the span, e.g. ``recallwatch.pareto``.
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None with a store = those it was last scored with.
        plan: what is computed; no windows.
        read_out: gets the engine with ``keyed``, ``keyed_recalls``, ``quality_long``, ``metrics``, ``latency``, ``cost``, ``segments``.

    Raises:
        UsageError: windows or a period of a store asked for.
        InputError: logs or labels out of contract.
    """
    if plan.cut.window != "all":
        raise UsageError("variants are compared over the whole log", where="--window", fix="Cut the period with --from and --to")
    home = logs if isinstance(logs, Store) else kept.store_of(logs)
    if home is not None and (plan.request.start or plan.request.end):
        raise UsageError("a store is read whole here", where="--from", fix="Name the logs of the period instead")

    def work() -> T:
        engine = Engine(threads=plan.request.threads, memory_limit=plan.request.memory_limit)
        steps = Steps(name, engine, plan.request.watcher)
        try:
            read = _scored(engine, home or logs, labels, plan, steps)
            with steps("report"):
                found = read_out(engine, read)
            steps.done({})
            return found
        finally:
            engine.close()

    return kept.steadily(home, work)


def _scored(engine: Engine, logs: Any, labels: Any, plan: Plan, steps: Steps) -> Logs:
    with steps("bind"):
        scoring.bind(engine, plan.definition, plan.cut)
    with steps("read"):
        read = _read(engine, logs, labels, plan)
    with steps("score"):
        scoring.segment(engine, plan.cut, names=dict(read.names), attributes=read.attributes)
        scoring.map_quality(engine, plan.definition, plan.cut.columns)
    with steps("aggregate"):
        map_rest(engine)
        for name in ("event_groups", "quality", "latency", "latency_interval"):
            engine.file(f"4_aggregate/{name}.sql")
        for name in ("metrics", "latency", "cost"):
            engine.file(f"6_report/{name}.sql")
        refuse_no_match(engine)
    return read


def _read(engine: Engine, logs: Any, labels: Any, plan: Plan) -> Logs:
    """Logs or a store up to the view `recalls`."""
    if isinstance(logs, Store):
        return kept.prepare(engine, logs, labels, plan.definition, plan.request, needs_time=False).logs
    read, _ = pipeline.read_both(engine, logs, labels, plan.request)
    accept(engine, read, plan.request)
    scoring.once(engine, has_ids=read.has_ids)
    scoring.join_labels(engine, log_columns=set(read.names.values()), facts=read.facts)
    return read
