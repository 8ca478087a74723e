"""What people read of a log without labels: that quality is not measured, what to do next, and what the lists look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.model import COUNT, NAME, SHARE, SIZE, Column, Section

Row = Mapping[str, Any]
NO_LABELS = "no labels: quality is not measured"
NEXT_STEP = f"{NO_LABELS}; next: recallwatch suggest-labels LOGS says which queries to label first, recallwatch drift LOGS whether answers changed"
SHOWN_LISTS = (
    ("recalls", "n", COUNT),
    ("queries looked at", "n_queries", COUNT),
    ("documents", "n_documents", COUNT),
    ("mean length", "mean_length", SIZE),
    ("empty", "empty_share", SHARE),
    ("repeat an id", "repeated_share", SHARE),
    ("ten most shown", "top_share", SHARE),
    ("top score", "top_score", SIZE),
    ("margin", "margin", SIZE),
)


def is_unlabelled(result: Row) -> bool:
    """Whether nobody named a label and the logs carry none: quality is not measured then."""
    return result["read"]["labels"] is None


def shown(result: Row) -> list[Section]:
    """What a log without labels says of its lists; by window where there are windows."""
    rows = result.get("shown", [])
    if not rows:
        return []
    heads = [(title, name, kind) for title, name, kind in SHOWN_LISTS if any(row[name] is not None for row in rows)]
    is_cut = any(row["window"] for row in rows)
    table = [((row["window"] or "all").removesuffix("T00:00:00Z"), *(row[name] for _, name, _ in heads)) for row in rows]
    columns = [Column("window (UTC)", NAME), *(Column(title, kind) for title, _, kind in heads)]
    note = "ten most shown: share of the places in the lists that the ten documents shown most often fill"
    return [
        Section(
            "Lists that were shown", columns if is_cut else columns[1:], table if is_cut else [row[1:] for row in table], [note]
        )
    ]
