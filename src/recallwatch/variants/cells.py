"""A log grouped by variant (and by repeat): quality, latency and cost per group, for pareto and stability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.tracing import Steps
from ..evaluation.source import source_of, with_recalls
from ..read import Logs
from ..scoring.plan import Plan
from ..scoring.readout import READ_OUT, map_rest, map_scores
from ..scoring.recalls import Recalls

T = TypeVar("T")


def with_cells(name: str, logs: Any, labels: Any, plan: Plan, read_out: Callable[[Engine, Logs], T]) -> T:
    """Score a log or a store by the segments of ``plan.cut.by``, and read something out of the engine.

    Args:
        name: of the span, e.g. ``recallwatch.pareto``.
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None with a store = those it was last scored with.
        plan: what is computed; no windows.
        read_out: gets the engine with ``variant_events``, ``variant_recalls``, ``quality_long``, ``metrics``, ``latency``, ``cost``, ``segments``.

    Raises:
        UsageError: windows were requested.
        InputError: logs or labels out of contract.
    """
    if plan.cut.window != "all":
        raise UsageError("variants are compared over the whole log", where="--window", fix="Cut the period with --from and --to")

    def work(engine: Engine, steps: Steps, events: Recalls) -> T:
        _score(engine, plan, events, steps)
        with steps("report"):
            made = read_out(engine, events.logs)
        steps.done({})
        return made

    return with_recalls(name, source_of(logs), labels, plan, work, must_have_labels=True)


def _score(engine: Engine, plan: Plan, scored: Recalls, steps: Steps) -> None:
    with steps("score"):
        map_scores(engine, plan, scored)
    with steps("aggregate"):
        map_rest(engine, plan.definition)
        for name in READ_OUT:
            engine.file(f"4_aggregate/{name}.sql")
        for name in ("metrics", "latency", "cost"):
            engine.file(f"6_report/{name}.sql")
        engine.file("6_report/variant_events.sql")
