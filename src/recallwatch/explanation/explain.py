"""One query of a log, explained: where each expected document stood, why it did not come, and what came instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..base.engine import Engine, quoted
from ..base.errors import InputError, RecallwatchError, UsageError
from ..base.rows import rows
from ..document.model import Document
from ..document.result import Result
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..report.explained import document_of
from ..report.night import trace_link
from ..scoring.plan import Plan, takes
from .options import EXPLAIN, Question

CHAINED = 16  # documents up to which a list is searched one by one, which is faster
PARTS = ("queries", "sides", "documents", "ranks", "instead", "windows", "stages", "recalls")


@dataclass(frozen=True)
class Explanation(Result):
    """Why a query gets what it gets.

    Args:
        asked: the question: ``query``, ``k``, ``against``.
        queries: the queries it names, with their texts.
        sides: recalls, recall@k and MRR of ``all``, or of ``before`` and ``after``.
        documents: one row a side and expected document: how often in the first k, its ranks, the reason of most misses, the median
            gap of its score to that of rank k.
        ranks: one row a UTC day and expected document: how often in the first k, its median rank.
        instead: documents in the first k that nobody expects, the most frequent first.
        windows: one row a UTC day.
        stages: times per side and stage, ms.
        recalls: the newest recalls, each with the rank of every expected document and the link to its trace.
    """

    ABOUT: ClassVar[str] = "documents"

    asked: dict[str, Any]
    queries: list[dict[str, Any]]
    sides: list[dict[str, Any]]
    documents: list[dict[str, Any]]
    ranks: list[dict[str, Any]]
    instead: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    recalls: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch explain -f json``, as Python values."""
        return self.stated("asked", *PARTS)

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())


@takes(EXPLAIN)
@on_one_state
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

    with recalls_of("recallwatch.explain", source_of(logs, store), labels, plan) as (engine, steps, _):
        with steps("score"):
            _answer(engine, [(query, query, False, None)], question)
            _refuse_nothing(engine, query, question)
        with steps("report"):
            return _explanation(_parts(engine)[query], {"query": query}, question)


@takes(EXPLAIN)
@on_one_state
def explanations(
    queries: Sequence[tuple[str, str | None]],
    logs: Any = None,
    labels: Any = None,
    *,
    store: Any = None,
    question: Question,
    plan: Plan,
) -> list[Explanation]:
    """Several queries explained in one reading, in their order; those that the logs do not hold are left out.

    Args:
        queries: each a query id or text, and the tenant that asks it; None = recalls without tenant, or whose label has none.
        logs, labels, store: as of :func:`explain`.
        {options}

    Raises:
        InputError: logs or labels out of contract.
    """

    named = {f"{number}": pair for number, pair in enumerate(dict.fromkeys(queries))}
    with recalls_of("recallwatch.explain", source_of(logs, store), labels, plan) as (engine, steps, _):
        with steps("score"):
            _answer(engine, [(key, name, True, tenant) for key, (name, tenant) in named.items()], question)
        with steps("report"):
            there, parts = {row[0] for row in engine.run("select distinct question from explained_events")}, _parts(engine)
            asked = {key: {"query": name, "tenant_id": tenant} for key, (name, tenant) in named.items() if key in there}
            return [_explanation(parts[key], one, question) for key, one in asked.items()]


def _answer(engine: Engine, asked: Sequence[tuple[str, str, bool, str | None]], question: Question) -> None:
    """The tables explained_... of these rows of explained_questions."""
    kinds = {"question": "varchar", "name": "varchar", "of_tenant": "boolean", "tenant_id": "varchar"}
    engine.values("explained_questions", kinds, asked)
    engine.file("6_report/explain_queries.sql")
    moment, version = "null", "null"
    if question.against is not None:
        try:
            engine.run(f"select {quoted(question.against)}::timestamptz")
            moment = quoted(question.against)
        except RecallwatchError:
            version = quoted(question.against)
    engine.run(f"create or replace macro explained_split() as {moment}::timestamptz")
    engine.run(f"create or replace macro explained_version() as {version}::varchar")
    keys = [row[0] for row in engine.run("select distinct query_key from explained_queries order by 1")]
    ids = [row[0] for row in engine.run("select distinct document_id from explained_expected order by 1")]
    each = (
        " or ".join(f"list_contains(ids, {quoted(one)})" for one in ids)
        if len(ids) <= CHAINED
        else f"list_has_any(ids, {quoted(ids)})"
    )
    engine.run(f"create or replace macro explained_has(ids) as {each or 'false'}")
    engine.run(f"create or replace macro explained_keys() as {quoted(keys)}::varchar[]")
    engine.options(explained_k=question.k, explained_recalls_shown=question.recalls)
    for name in ("1_normalise/stage_lists", "6_report/explain"):
        engine.file(f"{name}.sql")


def _parts(engine: Engine) -> Mapping[str, dict[str, list[dict[str, Any]]]]:
    """The rows of explained_... by question: read once, for a statement costs more than its rows."""
    parts: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: {name: [] for name in PARTS})
    for name in PARTS:
        for row in rows(engine.arrow(f"from explained_{name}")):
            parts[row.pop("question")][name].append(row)
    return parts


def _explanation(parts: dict[str, list[dict[str, Any]]], asked: Mapping[str, Any], question: Question) -> Explanation:
    parts["queries"] = [
        {name: value for name, value in row.items() if name not in ("query_key", "name")} for row in parts["queries"]
    ]
    newest = [{**row, "trace_url": trace_link(question.trace_url, row["trace_id"])} for row in parts.pop("recalls")]
    return Explanation({**asked, "k": question.k, "against": question.against}, recalls=newest, **parts)


def _refuse_nothing(engine: Engine, query: str, question: Question) -> None:
    if not engine.run("select count(*) from explained_events")[0][0]:
        near = engine.run(
            f"""select coalesce(query_id, query_text) from recalls where coalesce(query_id, query_text) is not null
            group by 1 order by jaro_winkler_similarity(coalesce(query_id, query_text), {quoted(query)}) desc, 1 limit 3"""
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
