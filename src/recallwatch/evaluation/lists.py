"""For a notebook and a test suite: Python's own lists in, through the same SQL as everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from ..base.errors import UsageError
from ..record.hits import id_of, is_list, listed
from ..scoring.plan import Plan, takes
from .options import SCORE
from .pipeline import evaluation_of

Document = tuple[str | None, float | None, bool | None]  # id, grade, relevance where it is apart from the grade

SCHEMA = pa.schema(
    {
        **dict.fromkeys(("query_id", "query_text", "query_class", "document_id"), pa.string()),
        "grade": pa.float64(),
        "is_relevant": pa.bool_(),
        "source": pa.string(),
        "source_line": pa.int64(),
    }
)


@takes(SCORE)
def score(ranked: Any, relevant: Any, *, plan: Plan) -> dict[str, float | None]:
    """Metrics of one ranking, or their means over several.

    Args:
        ranked: ids, best first: text or whole numbers, in a list, tuple, numpy array, Polars, pandas or Arrow column, DuckDB relation of one
            column; None = an unknown id at that rank; or (id, score) pairs, or (ids, scores), in the order of the ranking. Or several lists of ids,
            one a query.
        relevant: the query's relevant ids, or id -> grade (None = not judged); one of those for each ranking where there are several.
            [] = the right answer is to return nothing.
        {options}

    Returns:
        ``{"recall@3": 1.0, …}``, ratios 0..1: each metric and cutoff; None = no query counts.

    Raises:
        UsageError: unequal numbers of rankings and labels, a text in place of a list, a set as ranking, an id that is none, an unknown option.

    Example:
        >>> score(["q3", "python", "acme"], ["q3", "acme"], k=3)["precision@3"]
        0.6666666666666666
    """
    rankings, labels = _paired(ranked, relevant)
    values: dict[str, float | None] = dict.fromkeys(map(str, plan.cut.columns))
    queries = [str(number) for number in range(1, len(rankings) + 1)]
    table = label_table((query, None, None, documents) for query, documents in zip(queries, labels, strict=True))
    if table.num_rows:
        logs = pa.table({"query_id": queries, "ranked_ids": pa.array(rankings, pa.list_(pa.string()))})
        rows = evaluation_of(plan, logs, table).to_dict()["metrics"]
        values |= {
            row["metric"] if row["k"] is None else f"{row['metric']}@{row['k']}": row["value"]
            for row in rows
            if not row["segment"] and row["window"] is None
        }
    return values


def documents_of(relevant: Any, grades: Any = None, *, where: str) -> list[Document]:
    """The documents of one query's label; a document whose grade is None is not judged, and left out.

    Args:
        relevant: ids in any list or set; or id -> grade. None of them = the right answer is to return nothing.
        grades: id -> grade where relevance is apart from it; an id may be graded and not relevant.
        where: whose label it is, for errors.

    Raises:
        UsageError: a text in place of a list, an id or a grade that is none.
    """
    is_graded = isinstance(relevant, Mapping)
    values = list(relevant) if is_graded or isinstance(relevant, set | frozenset) else _listed(relevant, f"{where}: relevant")
    ids = [_known_id(value, where) for value in values]
    if grades is None:
        given = [_grade(value, where) for value in relevant.values()] if is_graded else [None] * len(ids)
        documents: list[Document] = [(d, g, None) for d, g in zip(ids, given, strict=True) if g is not None or not is_graded]
        return documents if ids else [(None, None, None)]
    if not isinstance(grades, Mapping):
        raise UsageError(f"grades must be id -> grade, saw {grades!r:.80}", where=where, fix="Write {id: grade}")
    apart = {_known_id(value, where): _grade(grade, where) for value, grade in grades.items()}
    judged = {d for d, g in apart.items() if g is not None} | set(ids)
    return [(d, apart.get(d), d in ids) for d in sorted(judged)] or [(None, None, None)]


def label_table(queries: Iterable[tuple[str | None, str | None, str | None, list[Document]]]) -> pa.Table:
    """Labels of ``(query_id, query_text, query_class, documents)``, one row a document, as :func:`recallwatch.evaluate` takes them."""
    rows = [
        dict(zip(SCHEMA.names, (query, text, kind, *document, f"label {number}", 1), strict=True))
        for number, (query, text, kind, documents) in enumerate(queries, 1)
        for document in documents
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _paired(ranked: Any, relevant: Any) -> tuple[list[list[str | None]], list[list[Document]]]:
    """Rankings, and the label of each."""
    given = _without_scores(_listed(ranked, "ranked"))
    are_many = [is_list(value) for value in given]
    if any(are_many) and not all(are_many):
        raise UsageError("expected ids, or lists of ids, saw both", where="ranked", fix="Give one list of ids a query")
    if any(isinstance(value, Mapping | set | frozenset) for value in given):
        raise UsageError("expected ids, best first, saw something without an order", where="ranked", fix="Give a list of ids")
    rankings = [_listed(value, f"ranking {n}") for n, value in enumerate(given, 1)] if any(are_many) else [given]
    labels = _listed(relevant, "relevant") if any(are_many) and not isinstance(relevant, Mapping) else [relevant]
    if len(rankings) != len(labels):
        raise UsageError(f"{len(rankings)} rankings but {len(labels)} label lists", fix="Give one list of relevant ids a ranking")
    ids = [[_id(value, f"ranking {number}") for value in values] for number, values in enumerate(rankings, 1)]
    return ids, [documents_of(label, where=f"label {number}") for number, label in enumerate(labels, 1)]


def _without_scores(given: list[Any]) -> list[Any]:
    """One ranking as (id, score) pairs or as (ids, scores), by its ids: a number with a fraction is never an id."""
    parts = [listed(value) if is_list(value) else [] for value in given]
    if parts and all(len(part) == 2 and isinstance(part[1], float) and not isinstance(part[0], float) for part in parts):
        return [part[0] for part in parts]
    if len(parts) == 2 and len(parts[0]) == len(parts[1]) and parts[1] and all(isinstance(score, float) for score in parts[1]):
        return parts[0]
    return given


def _listed(value: Any, where: str) -> list[Any]:
    if isinstance(value, str | bytes):
        raise UsageError(f"expected a list of ids, saw the text {value!r:.80}", where=where, fix=f"Write [{value!r:.80}]")
    try:
        return listed(value)
    except TypeError as error:
        raise UsageError(str(error), where=where, fix="Give a list of ids") from error


def _id(value: Any, where: str) -> str | None:
    try:
        return id_of(value)
    except TypeError as error:
        raise UsageError(str(error), where=where, fix="Write it as text, as the other side has it") from error


def _known_id(value: Any, where: str) -> str:
    known = _id(value, where)
    if known is None:
        raise UsageError(
            "a relevant id is None", where=where, fix="Leave it out; [] says that the right answer is to return nothing"
        )
    return known


def _grade(value: Any, where: str) -> float | None:
    """A finite number; None = not judged."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, str | bytes) or number - number != 0:
        raise UsageError(f"a grade is a finite number, saw {value!r:.80}", where=where)
    return number
