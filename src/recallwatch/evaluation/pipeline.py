"""One function on one screen: read, normalise, judge, score, aggregate, report. A store does the same by day (store/evaluation.py)."""

from __future__ import annotations

from typing import Any

from ..base.definition import Definition
from ..base.errors import UsageError
from ..scoring.plan import plan_of
from ..scoring.readout import at_work, scored
from ..scoring.recalls import recalls
from ..scoring.result import Evaluation
from ..store import evaluate_store
from .source import source_of


def evaluate(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    compat: str | None = None,
    definition: Definition | None = None,
    **options: Any,
) -> Evaluation:
    """Score a recall log against labels.

    Args:
        logs: path, folder, glob or a list of them; or an Arrow table, Polars frame, DuckDB relation.
        labels: path or list of paths; or an Arrow table, Polars frame, DuckDB relation; None = those the logs carry.
        store: folder of a store: the logs, if any, are added to it and all it holds is scored; no labels = those it was last scored with.
        compat: a preset: trec_eval, course, codemem, longmemeval.
        definition: a ready definition, instead of single options.
        options: fields of :class:`Reading` and of :class:`~recallwatch.base.definition.Definition`; ``k`` also as ``"1,3,10"``.

    Returns:
        Evaluation: Arrow tables ``metrics``, ``latency``, ``cost``, ``queries``; ``.to_dict()`` is the JSON of the command.

    Raises:
        UsageError: unknown option, metric or value (exit 2).
        InputError: logs or labels out of contract (exit 3).
    """
    plan = plan_of(compat, definition, options)
    if store is not None:
        return evaluate_store(store, plan, logs=logs, labels=labels)
    if logs is None:
        raise UsageError("no logs named", where="evaluate", fix="Name LOGS… and --labels, or a --store that has them")
    source = source_of(logs)
    if source.home is not None:
        return evaluate_store(source.home.folder, plan, logs=None, labels=labels)
    with at_work(plan, "recallwatch.evaluate") as (engine, steps):  # bind
        found = recalls(engine, source, labels, plan, steps)  # read, normalise, judge
        result = scored(engine, plan, found, steps)  # score, aggregate, report
        steps.done(result.counts)
        return result
