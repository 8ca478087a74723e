"""One function on one screen: read, normalise, judge, score, aggregate, report. A store does the same by day (store/evaluation.py)."""

from __future__ import annotations

from typing import Any

from ..base.errors import UsageError
from ..base.takes import EVALUATE
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work, scored
from ..scoring.result import Evaluation
from ..store import evaluate_store
from .source import source_of
from .walk import recalls


@takes(EVALUATE)
def evaluate(logs: Any = None, labels: Any = None, *, store: Any = None, plan: Plan) -> Evaluation:
    """Score a recall log against labels.

    Args:
        logs: path, folder, glob or a list of them; or a list of dicts, an Arrow table or stream, Polars frame, DuckDB relation.
        labels: path or list of paths; or a list of dicts, an Arrow table or stream, Polars frame, DuckDB relation; None = those the logs carry.
        store: folder of a store: the logs, if any, are added to it and all it holds is scored; no labels = those it was last scored with.
        {options}

    Returns:
        Evaluation: Arrow tables ``metrics``, ``latency``, ``cost``, ``queries``; ``.to_dict()`` is the JSON of the command.

    Raises:
        UsageError: unknown option, metric or value (exit 2).
        InputError: logs or labels out of contract (exit 3).

    Example:
        >>> logs = [{"query_id": "q1", "ranked_ids": ["m1", "m2"]}, {"query_id": "q2", "ranked_ids": ["m3"]}]
        >>> labels = [{"query_id": "q1", "relevant": ["m1"]}, {"query_id": "q2", "relevant": ["m3", "m9"]}]
        >>> result = evaluate(logs, labels, metrics="recall,mrr", k=2)
        >>> result.to_polars(wide=True).select("recall@2", "mrr").rows()
        [(0.75, 1.0)]
    """
    return evaluation_of(plan, logs, labels, store=store)


def evaluation_of(plan: Plan, logs: Any, labels: Any, *, store: Any = None) -> Evaluation:
    """The evaluation of a ready plan."""
    if store is not None:
        return evaluate_store(store, plan, logs=logs, labels=labels)
    if logs is None:
        raise UsageError("no logs named", where="evaluate", fix="Name LOGS… and --labels, or a --store that has them")
    source = source_of(logs)
    if source.home is not None:
        return evaluate_store(source.home.folder, plan, logs=None, labels=labels)
    with at_work(plan, "recallwatch.evaluate") as (engine, steps):  # bind
        events = recalls(engine, source, labels, plan, steps)  # read, normalise, judge
        result = scored(engine, plan, events, steps)  # score, aggregate, report
        steps.done(result.counts)
        return result
