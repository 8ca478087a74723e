"""Which queries a page names, and the explanation of each on the same page."""

from __future__ import annotations

from ..document.model import Document
from . import page
from .explained import document_of
from .night import Night

EXPLAINED = 20  # queries; the others a person asks for


def queries(night: Night) -> list[str]:
    """The queries that the page names, those that carry a change first: id, else text."""
    answers = [row["query_id"] or row["query_text"] for row in page.behind(night, "overlap") if row["kind"] == "answer"]
    names = [*(row["query"] for row in page.losers(night)), *answers, *(row["query"] for row in page.worst(night))]
    return list(dict.fromkeys(names))[:EXPLAINED]


def documents(night: Night) -> list[tuple[str, Document]]:
    """The id of the element and the document of each explanation."""
    return [(place, document_of(result)) for place, result in zip(night.places.values(), night.explained, strict=True)]
