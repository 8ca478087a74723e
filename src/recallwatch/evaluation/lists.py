"""For a notebook: lists in, metrics out, through the same SQL as everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..scoring.plan import Plan, takes
from .options import SCORE
from .pipeline import evaluation_of

Ranking = Sequence[str | None]
Relevant = Sequence[str] | Mapping[str, float]


@takes(SCORE)
def score(ranked: Ranking | Sequence[Ranking], relevant: Relevant | Sequence[Relevant], *, plan: Plan) -> dict[str, float | None]:
    """Metrics of one ranking, or their means over several.

    Args:
        ranked: ids, best first; or a list of such lists, one a query.
        relevant: the query's relevant ids, or id -> grade; a list of those where ``ranked`` is one.
        {options}

    Returns:
        ``{"recall@3": 1.0, …}``, ratios 0..1; None = no query counts.

    Raises:
        UsageError: unequal numbers of rankings and labels, unknown option.

    Example:
        >>> round(score(["q3", "python", "acme"], ["q3", "acme"], k=3)["precision@3"], 3)
        0.667
    """
    from ..base.errors import UsageError
    from ..read.labels import LINEAGE

    many = bool(ranked) and not isinstance(ranked[0], str | None)
    rankings: list[Any] = list(ranked) if many else [ranked]
    labels: list[Any] = list(relevant) if many and not isinstance(relevant, Mapping) else [relevant]
    if len(rankings) != len(labels):
        raise UsageError(f"{len(rankings)} rankings but {len(labels)} label lists", fix="Give one list of relevant ids a ranking")
    rows = [
        {"query_id": str(number), "document_id": document, "grade": grade}
        for number, label in enumerate(labels)
        for document, grade in (_grades(label) or {None: None}).items()
    ]
    schema = pa.schema([("query_id", pa.string()), ("document_id", pa.string()), ("grade", pa.float64()), *LINEAGE.items()])
    logs = pa.table(
        {
            "query_id": [str(n) for n in range(len(rankings))],
            "ranked_ids": pa.array([[None if d is None else str(d) for d in r] for r in rankings], pa.list_(pa.string())),
        }
    )
    result = evaluation_of(plan, logs, pa.Table.from_pylist(rows, schema=schema))
    return {
        name if depth is None else f"{name}@{depth}": value
        for name, depth, value in zip(*(result.metrics[c].to_pylist() for c in ("metric", "k", "value")), strict=True)
    }


def _grades(label: Relevant) -> dict[str | None, float | None]:
    if isinstance(label, Mapping):
        return {str(document): float(grade) for document, grade in label.items()}
    return {str(document): None for document in label}
