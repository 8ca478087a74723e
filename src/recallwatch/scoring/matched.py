"""Shares of match strategies and of exact matches, reported beside the metrics where more than ids decides relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NOTHING = "nothing (no ids, or no texts, on one side)"  # the strategy '' of sql/4_aggregate/match.sql


def judged_by(document: Mapping[str, Any]) -> list[tuple[str, float, int]]:
    """Strategy, share of the labelled recalls it judged, their number, over everything; empty where all is by id."""
    rows = _whole(document)
    deepest = max((row["k"] or 0 for row in rows), default=0)
    return [(row["strategy"] or NOTHING, row["share"], row["n_events"]) for row in rows if (row["k"] or 0) == deepest]


def counts_by_k(document: Mapping[str, Any], cutoffs: Sequence[int | None]) -> list[tuple[str, ...]]:
    """Two rows for a table of metrics by cutoff k: relevant found, and exact found, in the first k of all its recalls."""
    if "match" not in document:
        return []
    cells = {row["k"]: row for row in document["metrics"] if not row["segment"] and row["window"] is None}
    return [
        (label, *(f"{cells[k][name]:,}" if k in cells else "" for k in cutoffs))
        for label, name in (("relevant found", "relevant_found"), ("exact found", "exact_found"))
    ]


def counts_at_highest_k(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The same two as facts, at the highest cutoff k."""
    k = max((row["k"] for row in _whole(document) if row["k"] is not None), default=None)
    at = "in the whole list" if k is None else f"in the first {k}"
    return [(f"{row[0]} {at}", row[1]) for row in counts_by_k(document, [k])]


def counts_of(cells: Mapping[Any, Mapping[str, Any]], column: Any) -> tuple[str, ...]:
    """The same two of one row of a table by window or segment; nothing where all is by id."""
    cell = cells.get(column) or next(iter(cells.values()))
    return (f"{cell['relevant_found']:,}", f"{cell['exact_found']:,}") if "relevant_found" in cell else ()


def _whole(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in document.get("match", []) if not row["segment"] and row["window"] is None]
