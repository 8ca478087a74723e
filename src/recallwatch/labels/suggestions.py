"""What to label next: unlabelled queries by traffic and by class, documents nobody judged, queries whose list moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.registry import index
from ..base.rows import iso
from ..base.tracing import Steps
from ..document.model import Document
from ..document.outputs import HTML, JSON, MARKDOWN, TEXT, Output
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls
from ..read.corpus import read_corpus_texts
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work
from .options import SUGGEST, Worklist
from .suggestion_document import document_of
from .worksheet import worksheet


@dataclass(frozen=True)
class Suggestions(Result):
    """What to label next.

    Args:
        tasks: one row a line of the worksheet, in the order to work through (6_report/suggest.sql, view suggestions).
        classes: traffic and labelled share of each query class, the least covered first.
        counts: events, queries, groups, coverage now.
        period: first and last event, and the middle between them that tells what moved.
    """

    ABOUT: ClassVar[str] = "tasks"

    tasks: list[dict[str, Any]]
    classes: list[dict[str, Any]]
    counts: dict[str, Any]
    period: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch suggest-labels -f json``, as Python values."""
        return self.stated("counts", "period", "classes", "tasks")

    def document(self) -> Document:
        """The document shown to people."""
        return document_of(self.to_dict())


@takes(SUGGEST)
@on_one_state
def suggest_labels(logs: Any = None, labels: Any = None, *, store: Any = None, wanted: Worklist, plan: Plan) -> Suggestions:
    """Say which queries and documents to label next, and how far that gets the coverage.

    Args:
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry or the store was last scored with; there may be none at all.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option or a number out of range.
        InputError: logs or labels out of contract.

    Example:
        >>> logs = [{"query_id": q, "ranked_ids": ["m1"]} for q in ("q1", "q2", "q2")]
        >>> [task["query_id"] for task in suggest_labels(logs, n=2).tasks]
        ['q2', 'q1']
    """
    for name in ("of", "by", "seed"):
        if wanted.sample is None and getattr(wanted, name) is not None:
            raise UsageError("only a sample has it", where=f"--{name}", fix="Pass --sample N too, or leave it out")
    plan, source = plan.measuring((f"recall@{wanted.k}",)), source_of(logs, store)
    settings = {
        "opt_suggest_n": wanted.sample or wanted.n,
        "opt_sample_of": wanted.of or "traffic",
        "opt_sample_by": wanted.by,
        "opt_seed": wanted.seed or "1",
        "opt_suggest_k": wanted.k,
        "opt_suggest_documents": wanted.documents,
        "opt_similar": wanted.similar,
    }
    with at_work(plan, "recallwatch.suggest_labels") as (engine, steps):
        engine.options(**settings)
        if wanted.corpus is not None:
            with steps("read"):
                read_corpus_texts(engine, Path(wanted.corpus))
        recalls(engine, source, labels, plan, steps, must_meet=False)
        suggestions = _suggested(engine, plan, steps, ("similar", "suggest", *(("sample",) if wanted.sample else ())))
        steps.done(suggestions.counts)
        return suggestions


def _suggested(engine: Engine, plan: Plan, steps: Steps, files: Sequence[str]) -> Suggestions:
    with steps("aggregate"):
        engine.file("4_aggregate/asked.sql")
    with steps("report"):
        for name in files:
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
SUGGESTION_OUTPUTS = index(TEXT, WORKSHEET, JSON, MARKDOWN, HTML)
