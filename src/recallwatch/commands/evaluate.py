"""`recallwatch evaluate`: one log, one set of labels, one table of numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import options as o

if TYPE_CHECKING:
    from ..scoring.result import Evaluation


@o.with_shared()
def command(
    logs: o.LOGS_OR_NONE = None,
    labels: o.LABELS = None,
    store: o.STORE = None,
    metric: o.METRIC = None,
    k: o.K = "1,3,5,10",
    by: o.BY = None,
    window: o.WINDOW = "all",
    timezone: o.TIMEZONE = "UTC",
    start: o.FROM = None,
    end: o.TO = None,
    per_query: o.PER_QUERY = False,
    format: o.FORMAT = "text",
    output: o.OUTPUT = None,
    reading: dict[str, Any] = o.GIVEN,
    engine: o.ENGINE = "duckdb",
    master: o.MASTER = None,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Score a recall log against labels.

    Example: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..report import OUTPUTS

    entry = chosen(format, OUTPUTS)
    evaluate = _evaluator(engine, master, store)
    with Progress() as progress:
        result = evaluate(
            logs,
            labels,
            metrics=tuple(metric or ()),
            k=k,
            by=by or (),
            window=window,
            timezone=timezone,
            start=start,
            end=end,
            per_query=per_query,
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(result, entry, output)


def _evaluator(engine: str, master: str | None, store: Any) -> Callable[..., Evaluation]:
    """What evaluates: this machine, or a Spark cluster."""
    if not o.is_spark(engine, master):
        from ..evaluation.pipeline import evaluate

        return functools.partial(evaluate, store=store)
    from ..spark import evaluate_on

    return functools.partial(evaluate_on, master or "local[*]", store=store)
