"""One query of a log, explained: where each expected document stood, why it did not come, and what came instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base.engine import Engine, quoted
from ..base.errors import InputError, RecallwatchError, UsageError
from ..base.version import __version__
from ..document.model import Document
from ..document.result import Result
from ..evaluation.source import source_of
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work
from ..scoring.recalls import recalls
from ..scoring.result import rows
from ..store.snapshot import steadily
from .document import document_of
from .options import EXPLAIN, Question

SHOWN = 100  # recalls handed on, the newest
PARTS = ("queries", "sides", "documents", "instead", "windows", "stages")


@dataclass(frozen=True)
class Explanation(Result):
    """Why a query gets what it gets.

    Args:
        asked: the question: ``query``, ``k``, ``against``.
        queries: the queries it names, with their texts.
        sides: recalls, recall@k and MRR of ``all``, or of ``before`` and ``after``.
        documents: one row a side and expected document: how often in the first k, its ranks, the reason of most misses.
        instead: documents in the first k that nobody expects, the most frequent first.
        windows: one row a UTC day.
        stages: times per side and stage, ms.
        recalls: the newest recalls, each with the rank of every expected document.
    """

    asked: dict[str, Any]
    queries: list[dict[str, Any]]
    sides: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    instead: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    recalls: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch explain -f json``, as Python values."""
        parts = {name: getattr(self, name) for name in ("asked", *PARTS, "recalls")}
        return {"tool": {"name": "recallwatch", "version": __version__}, **parts}

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(EXPLAIN)
def explain(query: str, logs: Any = None, labels: Any = None, *, store: Any = None, question: Question, plan: Plan) -> Explanation:
    """Explain what one query got: each expected document's rank, why it did not come, what came instead, over time.

    Args:
        query: a query id, a query text, an event id or a trace id.
        logs: as in :func:`recallwatch.evaluate`; or the folder of a store.
        labels: the same; None = those the logs carry, or the store was last scored with.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option; nothing in the log is called so; a moment or version that divides nothing.
        InputError: logs or labels out of contract.

    Example:
        >>> logs = [{"query_id": "q1", "ranked_ids": ["m2"], "candidate_ids": ["m2", "m1"]}]
        >>> result = explain("q1", logs, [{"query_id": "q1", "relevant": ["m1"]}])
        >>> [(row["document_id"], row["reason"]) for row in result.documents]
        [('m1', 'candidate, cut')]
    """
    source = source_of(logs, store)

    def once() -> Explanation:
        with at_work(plan, "recallwatch.explain") as (engine, steps):
            recalls(engine, source, labels, plan, steps)
            with steps("score"):
                _bind(engine, query, question)
                engine.file("6_report/explain.sql")
                _refuse_nothing(engine, query, question)
            with steps("report"):
                parts = {name: rows(engine.arrow(f"from explained_{name}")) for name in PARTS}
            return Explanation({"query": query, "k": question.k, "against": question.against}, recalls=_newest(engine), **parts)

    return steadily(source.home, once)


def _bind(engine: Engine, query: str, question: Question) -> None:
    engine.options(explained_query=query, explained_k=question.k)
    moment, version = "null", "null"
    if question.against is not None:
        try:
            engine.run(f"select {quoted(question.against)}::timestamptz")
            moment = quoted(question.against)
        except RecallwatchError:
            version = quoted(question.against)
    engine.run(f"create or replace macro explained_split() as {moment}::timestamptz")
    engine.run(f"create or replace macro explained_version() as {version}::varchar")


def _refuse_nothing(engine: Engine, query: str, question: Question) -> None:
    if not engine.run("select count(*) from explained_events")[0][0]:
        near = engine.run(
            """select coalesce(query_id, query_text) from recalls where coalesce(query_id, query_text) is not null
            group by 1 order by jaro_winkler_similarity(coalesce(query_id, query_text), explained_query()) desc, 1 limit 3"""
        )
        names = ", ".join(repr(row[0][:60]) for row in near)
        raise UsageError(
            f"no recall of {query[:60]!r} in these logs", where="QUERY", fix=f"Name a query, event or trace; the nearest: {names}"
        )
    if question.against is not None and len(engine.run("select distinct side from explained_events")) < 2:
        what = f"all recalls of the query are on one side of {question.against!r}"
        raise InputError(
            what, where="--against", fix="Name a moment between its recalls, or an index version that began between them"
        )


def _newest(engine: Engine) -> list[dict[str, Any]]:
    return rows(
        engine.arrow(
            f"""select e.event_id, e.trace_id, e."timestamp", e.index_version, e.status, e.total_ms, e.is_named, e.judged_ids as ranked_ids,
            (select list({{'document_id': m.document_id, 'rank': m.rank, 'candidate_rank': m.candidate_rank, 'reason': m.reason}} order by m.document_id)
                from explained_misses as m where m.event_id = e.event_id and m."timestamp" is not distinct from e."timestamp") as expected
        from explained_events as e order by e.is_named desc, e."timestamp" desc, e.event_id limit {SHOWN}"""
        )
    )
