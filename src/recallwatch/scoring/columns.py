"""The names that people read: the columns a page leads with, a segment in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .document import column_name


def headline_columns(evaluation: Mapping[str, Any]) -> list[str]:
    """The columns a page leads with: recall, precision, nDCG at the deepest k, MRR; what there is of them."""
    seen: dict[str, list[Mapping[str, Any]]] = {}
    for row in evaluation["metrics"]:
        if row["window"] is None and not row["segment"]:
            seen.setdefault(row["metric"], []).append(row)
    lead = [metric for metric in ("recall", "ndcg", "mrr", "precision") if metric in seen] or list(seen)[:1]
    return [
        column_name(max(seen[metric], key=lambda row: (row["k"] is not None and not row["truncated"], row["k"] or 0)))
        for metric in lead
    ]


def segment_name(segment: Mapping[str, Any]) -> str:
    """``lookup`` or ``lookup · acme``; (none) where a value was not logged."""
    return " · ".join("(none)" if value is None else str(value) for value in segment.values()) or "all"
