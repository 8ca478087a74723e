"""A retriever put to cases whose right answers are known: recorded, and scored by the same SQL as a log."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.definition import Definition, columns_of
from ..base.errors import InputError, UsageError
from ..base.held import scratch
from ..base.options import Grouping, Limits
from ..base.takes import Takes
from ..document.model import NAME, RATIO4, TEXT, Column, Document, Section
from ..document.numbers import plural
from ..document.result import Result
from ..evaluation.lists import documents_of, label_table
from ..evaluation.pipeline import evaluation_of
from ..record import Recorder, hits_of
from ..scoring.plan import Plan, takes
from ..scoring.readout import at_work
from ..scoring.recalls import take_labels
from ..scoring.result import Evaluation

METRICS = ("precision", "recall", "f1", "ndcg", "mrr")
RETRIEVER = Takes("evaluate_retriever", Grouping, Limits, Definition)
QUERIES = """select query_id, any_value(query_text) as query_text, any_value(query_class) as query_class from labels
    group by query_id, if(query_id is null, query_text, null) order by min(source_line), query_id, query_text"""
WORST = 5  # queries shown under the table
K_NAMES = ("k", "top_k", "limit", "n_results")


@dataclass(frozen=True)
class Case:
    """A query and what should come back for it.

    Args:
        query: its text.
        relevant: ids in any list or set; or id -> grade (None = not judged). None of them = the right answer is to return nothing.
        grades: id -> grade for nDCG, where given apart from relevance; an id may be graded and not relevant.
        query_class: slice.
        query_id: name in the report; None = its number.
    """

    query: str
    relevant: Iterable[Any] | Mapping[Any, float | None] = ()
    grades: Mapping[Any, float | None] | None = None
    query_class: str | None = None
    query_id: str | None = None

    @property
    def key(self) -> str:
        """What a case is known by where it has no number: its id, else its text."""
        return self.query_id or self.query


@dataclass(frozen=True)
class RetrieverReport(Result):
    """What the cases say; ``str()`` is a table.

    Args:
        k: the requested number of results.
        values: recall, precision, f1, ndcg and mrr at k, ratios 0..1; None = no case counts.
        queries: one row a case that was run: query_id, query_text, values, missed_ids, found; the worst first.
        errors: query_id -> what the retriever raised; such a case counts as nothing returned.
        evaluation: everything else, as ``recallwatch.evaluate`` returns it.
    """

    k: int
    values: dict[str, float | None]
    queries: list[dict[str, Any]]
    errors: dict[str, str] = field(repr=False)
    evaluation: Evaluation = field(repr=False)

    def worst(self, metric: str, n: int = WORST) -> list[dict[str, Any]]:
        """The queries with the lowest values of a metric, lowest first; those at its best (1) are left out."""
        scored = [q for q in self.queries if q["values"].get(metric) is not None and q["values"][metric] < 1]
        return sorted(scored, key=lambda q: q["values"][metric])[:n]

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The queries, the worst first."""
        return {"queries": self.queries}

    def document(self) -> Document:
        """Metrics, then the worst queries."""
        means = Section("", [Column("metric", NAME), Column("value", RATIO4)], list(self.values.items()))
        metric = next((name for name in ("recall", "ndcg") if self.worst(name)), "recall")
        worst = behind("Worst queries", self.worst(metric), metric, self.errors)
        return Document(f"{plural(len(self.queries), 'query', 'queries')} at k = {self.k}", [means, worst])


def behind(title: str, queries: Sequence[Mapping[str, Any]], metric: str, errors: Mapping[str, str]) -> Section:
    """Queries with the value of a metric, what each missed, what was raised."""
    columns = [Column("query", TEXT), Column(metric, RATIO4), Column("missed", TEXT), Column("raised", TEXT)]
    rows = [(q["query_text"], q["values"].get(metric), ", ".join(q["missed_ids"]), errors.get(q["query_id"])) for q in queries]
    return Section(title, columns, rows).filled()


@takes(RETRIEVER)
def evaluate_retriever(
    retrieve: Callable[..., Any],
    cases: str | Path | Iterable[Case | Mapping[str, Any] | tuple[Any, ...]],
    k: int = 10,
    *,
    record_to: str | Path | None = None,
    timeout: float | None = None,
    plan: Plan,
) -> RetrieverReport:
    """Ask a retriever every case, record the recalls, and score them as any log is scored.

    Args:
        retrieve: ``retrieve(query)`` or ``retrieve(query, k)``, plain or async; returns ids, ``(id, score)`` pairs, documents, …
            (:func:`recallwatch.record.hits_of`). What it raises counts as nothing returned, and is named.
        cases: :class:`Case`, mappings of its fields, or tuples ``(query, relevant)`` and ``(query, relevant, grades)``; or the path of a
            label file in any form that ``evaluate`` reads, whose queries have a text.
        k: depth of every metric; results beyond it are recorded and not scored.
        record_to: folder that keeps the recording; None = a temporary one.
        timeout: seconds a case may take; the call is then left behind on its thread. None = no limit.
        {options}

    Raises:
        UsageError: no cases, the same query_id twice, a wrong k or option.

    Example:
        >>> report = evaluate_retriever(lambda query: ["acme", "python"], [("where do I work?", ["acme"])], k=2)
        >>> report.values["precision"]
        0.5
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise UsageError(f"k must be a whole number >= 1, saw {k!r}", where="evaluate_retriever")
    file = cases if isinstance(cases, str | PathLike) else None
    given: Iterable[Any] = _queries_of(cases, plan) if isinstance(cases, str | PathLike) else cases
    test_cases = [case_of(case, number) for number, case in enumerate(given, 1)]
    _refuse(test_cases)
    labels = labels_of(test_cases) if file is None else fspath(file)  # before the first call: an invalid label costs no call
    folder = nullcontext(Path(record_to)) if record_to is not None else scratch()
    with folder as place:
        recording = tempfile.mkdtemp(prefix="run-", dir=_made(place))
        errors = _ask(retrieve, test_cases, k, recording, timeout)
        result = _scored(recording, labels, k, plan)
    return _report(result, k, errors)


def _queries_of(labels: Any, plan: Plan) -> list[Case]:
    """The queries of a label file; what is right for each is read where they are scored."""
    with at_work(plan, "recallwatch.evaluate_retriever") as (engine, _steps):
        take_labels(engine, labels, plan.reading)
        rows = engine.rows(QUERIES)
    textless = next((row["query_id"] for row in rows if row["query_text"] is None), None)
    if textless is not None:
        raise InputError(f"query {textless!r} has no text to ask", where=str(labels), fix="Add a column query_text")
    return [Case(row["query_text"], query_class=row["query_class"], query_id=row["query_id"]) for row in rows]


def _made(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    return place


def case_of(given: Any, number: int) -> Case:
    """A case in any of its forms, with a name and ids as text."""
    try:
        case = given if isinstance(given, Case) else Case(**given) if isinstance(given, Mapping) else Case(*given)
    except TypeError as error:
        raise UsageError(
            f"expected (query, relevant) or a Case, saw {given!r}", where=f"case {number}", fix=str(error).split("__init__() ")[-1]
        ) from error
    if isinstance(case.relevant, str | bytes):
        raise UsageError(f"relevant must be a list of ids, saw {case.relevant!r}", where=f"case {number}", fix="Write [id]")
    name = str(number) if case.query_id is None else str(case.query_id)
    return Case(str(case.query), case.relevant, case.grades, case.query_class, name)


def _refuse(cases: Sequence[Case]) -> None:
    if not cases:
        raise UsageError("no cases", where="evaluate_retriever", fix="Give at least one (query, relevant)")
    names = [case.query_id for case in cases]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two cases are called {twice!r}", where="evaluate_retriever", fix="Give each a query_id of its own")


def _ask(retrieve: Callable[..., Any], cases: Sequence[Case], k: int, folder: str, timeout: float | None) -> dict[str, str]:
    """Every case once, recorded; returns what was raised, by query_id."""
    call, errors = _caller(retrieve, k), {}
    with Recorder(folder, text=True, queue_size=len(cases) + 1, flush_seconds=1) as recorder:
        for case in cases:
            try:
                with recorder.recall(case.query, top_k=k, query_id=case.query_id, query_class=case.query_class) as recall:
                    result = hits_of(within(timeout, call, case.query))
                    recall.results(result.ids, result.scores)
            except Exception as error:
                errors[str(case.query_id)] = f"{type(error).__name__}: {error}"
    return errors


def _caller(retrieve: Callable[..., Any], k: int) -> Callable[[str], Any]:
    """The retriever as a function of the query alone."""
    try:
        parameters = list(inspect.signature(retrieve).parameters.values())
    except (TypeError, ValueError):  # a builtin without a signature
        parameters = []
    name = next((p.name for p in parameters if p.name in K_NAMES and p.kind is not p.POSITIONAL_ONLY), None)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]

    def call(query: str) -> Any:
        more: dict[str, Any] = {} if name is None else {name: k}
        result = retrieve(query, k) if name is None and len(positional) == 2 else retrieve(query, **more)
        return asyncio.run(awaited(result)) if inspect.isawaitable(result) else result

    return call


async def awaited(result: Any) -> Any:
    """What an async retriever returns, once it does."""
    return await result


def within(seconds: float | None, call: Callable[[str], Any], query: str) -> Any:
    """The call's result, or TimeoutError once the time is over."""
    if seconds is None:
        return call(query)
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["result"] = call(query)
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join(seconds)
    if "error" in outcome:
        raise outcome["error"]
    if "result" not in outcome:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return outcome["result"]


def _scored(recording: str, labels: pa.Table | str, k: int, plan: Plan) -> Evaluation:
    columns = tuple(columns_of([f"{metric}@{k}" for metric in METRICS], ()))
    plan = replace(plan, per_query=True, cut=replace(plan.cut, columns=columns))
    return evaluation_of(plan, recording, labels)


def labels_of(cases: Sequence[Case]) -> pa.Table:
    """The cases' labels, one row a document; a case without any is one row without a document."""
    return label_table(
        (case.query_id, case.query, case.query_class, documents_of(case.relevant, case.grades, where=f"case {case.query_id}"))
        for case in cases
    )


def _report(result: Evaluation, k: int, errors: dict[str, str]) -> RetrieverReport:
    """Names without ``@k``: there is one k."""
    columns = (result.metrics[c].to_pylist() for c in ("metric", "segment", "value"))
    means = {metric: value for metric, segment, value in zip(*columns, strict=True) if not segment}
    values = {metric: means.get(metric) for metric in METRICS}
    queries = [
        {**row, "values": {name.partition("@")[0]: value for name, value in row["values"] or ()}}
        for row in result.queries.to_pylist()
        if row["n"]
    ]
    queries.sort(key=lambda q: (q["pull"] is None, -(q["pull"] or 0.0)))
    return RetrieverReport(k, values, queries, errors, result)
