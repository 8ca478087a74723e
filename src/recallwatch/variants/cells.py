"""A log grouped by variant (and by repeat): quality, latency and cost per group, for pareto and stability."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.tracing import Steps
from ..evaluation.source import source_of
from ..evaluation.walk import recalls_of
from ..scoring.plan import Plan
from ..scoring.readout import READ_OUT, map_rest, map_scores
from ..scoring.recalls import Recalls


@contextmanager
def cells_of(name: str, logs: Any, labels: Any, plan: Plan) -> Iterator[Engine]:
    """A log or a store scored by the segments of ``plan.cut.by``.

    The engine holds ``variant_events``, ``variant_recalls``, ``quality_long``, ``metrics``, ``latency``, ``cost``, ``segments``.

    Args:
        name: of the span, e.g. ``recallwatch.pareto``.
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None with a store = those it was last scored with.
        plan: what is computed; no windows.

    Raises:
        UsageError: windows were requested.
        InputError: logs or labels out of contract.
    """
    if plan.cut.window != "all":
        raise UsageError("variants are compared over the whole log", where="--window", fix="Cut the period with --from and --to")
    with recalls_of(name, source_of(logs), labels, plan, must_have_labels=True) as (engine, steps, events):
        _score(engine, plan, events, steps)
        with steps("report"):
            yield engine
        steps.done({})


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
