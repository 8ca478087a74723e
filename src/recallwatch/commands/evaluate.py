"""`recallwatch evaluate`: one log, one set of labels, one table of numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from ..base.takes import EVALUATE
from . import options as o

if TYPE_CHECKING:
    from ..scoring.result import Evaluation

FORMAT = Annotated[str | None, o.form("text", "json", "csv", "markdown", "html", "prometheus", more=o.BY_NAME)]


@o.takes(EVALUATE)
def command(
    logs: o.LOGS_OR_NONE = None,
    labels: o.LABELS = None,
    store: o.STORE = None,
    format: FORMAT = None,
    output: o.OUTPUT = None,
    engine: o.ENGINE = "duckdb",
    master: o.MASTER = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Score a recall log against labels.

    Example: recallwatch evaluate sample_logs/recalls --labels sample_logs/labels.jsonl
    """
    from ..report import OUTPUTS

    evaluate = _evaluator(engine, master, store)
    o.answer(evaluate, logs, labels, options=options, format=format, output=output, outputs=OUTPUTS)


def _evaluator(engine: str, master: str | None, store: Any) -> Callable[..., Evaluation]:
    """What evaluates: this machine, or a Spark cluster."""
    if not o.is_spark(engine, master):
        from ..evaluation.pipeline import evaluate

        return functools.partial(evaluate, store=store)
    from ..spark import evaluate_on

    return functools.partial(evaluate_on, master or "local[*]", store=store)
