"""What to label next: unlabelled queries by traffic and by class, documents nobody judged, queries whose list moved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.definition import Definition
from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.registry import index
from ..base.tracing import Steps
from ..base.version import __version__
from ..document.model import Document
from ..document.outputs import JSON, MARKDOWN, TEXT, Output
from ..document.result import Result
from ..evaluation.source import source_of
from ..read.corpus import read_corpus_texts
from ..scoring.plan import Plan, plan_of
from ..scoring.readout import at_work
from ..scoring.recalls import recalls
from ..scoring.result import iso
from ..store.snapshot import steadily
from .suggestion_document import document_of
from .worksheet import worksheet

SIMILAR = 0.75  # "where do I work" and "where do I work now" are one; a changed word in a short query makes another
DOCUMENTS = 10  # documents a line lists


@dataclass(frozen=True)
class Suggestions(Result):
    """What to label next.

    Args:
        tasks: one row a line of the worksheet, in the order to work through (6_report/suggest.sql, view suggestions).
        classes: traffic and labelled share of each query class, the least covered first.
        counts: events, queries, groups, coverage now.
        period: first and last event, and the middle between them that tells what moved.
    """

    tasks: list[dict[str, Any]]
    classes: list[dict[str, Any]]
    counts: dict[str, Any]
    period: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch suggest-labels -f json``, as Python values."""
        tool = {"name": "recallwatch", "version": __version__}
        return {"tool": tool, "counts": self.counts, "period": self.period, "classes": self.classes, "tasks": self.tasks}

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


def suggest_labels(
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    n: int = 50,
    k: int = 10,
    documents: int = DOCUMENTS,
    similar: float = SIMILAR,
    corpus: Any = None,
    compat: str | None = None,
    definition: Definition | None = None,
    **options: Any,
) -> Suggestions:
    """Say which queries and documents to label next, and how far that gets the coverage.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry or the store was last scored with; there may be none at all.
        store: folder of a store, in place of logs.
        n: lines wanted.
        k: depth looked at.
        documents: documents a line lists at most.
        similar: text similarity 0..1 from which two queries share a line; 1 = the same words in the same order.
        corpus: JSON lines or Parquet of ids and texts, so that whoever labels sees the documents; None = the texts the logs hold.
        compat: a preset of the definition.
        definition: a ready definition.
        options: of the reading and of the definition; no windows, no slices.

    Raises:
        UsageError: an unknown option or a number out of range.
        InputError: logs or labels out of contract.
    """
    for name, value in (("n", n), ("k", k), ("documents", documents)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UsageError(f"must be a whole number >= 1, saw {value!r}", where=f"--{name}")
    if not 0 < similar <= 1:
        raise UsageError(f"must be above 0 and at most 1, saw {similar!r}", where="--similar")
    plan, source = plan_of(compat, definition, {**options, "metrics": ("recall",), "k": k}), source_of(logs, store)
    settings = {"opt_suggest_n": n, "opt_suggest_k": k, "opt_suggest_documents": documents, "opt_similar": similar}

    def once() -> Suggestions:
        with at_work(plan, "recallwatch.suggest_labels") as (engine, steps):
            engine.options(**settings)
            if corpus is not None:
                with steps("read"):
                    read_corpus_texts(engine, Path(corpus))
            recalls(engine, source, labels, plan, steps, must_have_labels=False)
            found = _suggested(engine, plan, steps)
            steps.done(found.counts)
            return found

    return steadily(source.home, once)


def _suggested(engine: Engine, plan: Plan, steps: Steps) -> Suggestions:
    with steps("aggregate"):
        engine.file("4_aggregate/asked.sql")
    with steps("report"):
        for name in ("similar", "suggest"):
            engine.file(f"6_report/{name}.sql")
        (counts,) = engine.rows("from suggest_counts")
        (span,) = engine.rows("from asked_span")
        period = {
            "from": iso(span["first_at"]),
            "middle": iso(span["middle_at"]),
            "to": iso(span["last_at"]),
            "k": plan.cut.columns[0].k,
        }
        return Suggestions(engine.rows("from suggestions"), engine.rows("from class_coverage"), counts, period)


WORKSHEET = Output("jsonl", "the worksheet: one line a query, to fill in", lambda result: worksheet(result.tasks), ".jsonl")
SUGGESTION_OUTPUTS = index(TEXT, WORKSHEET, JSON, MARKDOWN)
