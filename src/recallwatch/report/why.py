"""Which queries a page names, and the explanation of each on the same page."""

from __future__ import annotations

from ..document.model import Document
from . import page
from .explained import document_of
from .night import Night

EXPLAINED = 20  # queries; the others a person asks for


def queries(night: Night) -> list[tuple[str, str | None]]:
    """The queries that the page names, those that carry a change first: id, else text, and the tenant."""
    answers = [
        (row["query_id"] or row["query_text"], row["tenant_id"]) for row in page.behind(night, "overlap") if row["kind"] == "answer"
    ]
    asked = [*(row["asked"] for row in page.losers(night)), *answers, *(row["asked"] for row in page.worst(night))]
    return list(dict.fromkeys(asked))[:EXPLAINED]


def documents(night: Night) -> list[tuple[str, Document]]:
    """The id of the element and the document of each explanation."""
    return [(f"why-{number}", document_of(result)) for number, result in enumerate(night.explained, 1)]
