"""Published value cases as data: rankings and labels of many cases, evaluated together where their options are equal."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

import recallwatch

MEAN = "all"
Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Claim:
    """One published number.

    Args:
        measure: its name where it was published.
        column: ours, such as ``ndcg@10``.
        query: whose value it is; ``all`` = the mean of the case.
        value: as published.
        options: those it needs, as sorted pairs.
        tolerance: how exactly it was published.
    """

    measure: str
    column: str
    query: str
    value: float
    options: Options
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Case:
    """Rankings, labels and what was published about them.

    Args:
        name: unique among all cases.
        rankings: query -> ids, best first, or id -> score.
        grades: query -> id -> grade; no id = labelled, and nothing is right.
        claims: the numbers.
        left_out: measures of the case that we have no number for.
    """

    name: str
    rankings: Mapping[str, list[str] | Mapping[str, float]]
    grades: Mapping[str, Mapping[str, float]]
    claims: list[Claim] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)


def options_of(**options: Any) -> Options:
    """Options as a key that equal options share."""
    return tuple(sorted(options.items()))


def differences(cases: Iterable[Case]) -> dict[tuple[str, str, str], tuple[float, float | None]]:
    """(case, measure, query) -> (published, ours) of every claim that does not hold."""
    asked: dict[Options, list[tuple[Case, Claim]]] = defaultdict(list)
    for case in cases:
        for claim in case.claims:
            asked[claim.options].append((case, claim))
    wrong = {}
    for options, pairs in asked.items():
        values = _evaluated(
            list({case.name: case for case, _ in pairs}.values()), {claim.column for _, claim in pairs}, dict(options)
        )
        for case, claim in pairs:
            value = values.get((case.name, claim.column, claim.query))
            if value is None or abs(value - claim.value) > claim.tolerance:
                wrong[case.name, claim.measure, claim.query] = (claim.value, value)
    return wrong


def _evaluated(cases: list[Case], columns: set[str], options: dict[str, Any]) -> dict[tuple[str, str, str], float]:
    """(case, column, query or ``all``) -> value: one evaluation, a case is a tenant of it."""
    found = recallwatch.evaluate(
        _logs(cases), _labels(cases), metrics=sorted(columns), by="tenant_id", per_query=True, threads=1, **options
    ).to_dict()
    names = {name: name.removesuffix("@all") for name in columns}
    queries = {(row["tenant_id"], row["query_id"]): row["values"] for row in found["queries"]}
    values = {(case, name, query): got[own] for (case, query), got in queries.items() for name, own in names.items() if own in got}
    for row in found["metrics"]:
        if row["segment"]:
            values[row["segment"]["tenant_id"], f"{row['metric']}@{row['k'] or 'all'}", MEAN] = row["value"]
            if row["k"] is None:
                values[row["segment"]["tenant_id"], row["metric"], MEAN] = row["value"]
    return values


def _logs(cases: list[Case]) -> pa.Table:
    rows = [(case.name, query, ranking) for case in cases for query, ranking in case.rankings.items()]
    scores = [list(ranking.values()) if isinstance(ranking, Mapping) else None for _, _, ranking in rows]
    return pa.table(
        {
            "tenant_id": [case for case, _, _ in rows],
            "query_id": [query for _, query, _ in rows],
            "ranked_ids": pa.array([list(ranking) for _, _, ranking in rows], pa.list_(pa.string())),
            "scores": pa.array(scores, pa.list_(pa.float64())),
        }
    )


def _labels(cases: list[Case]) -> pa.Table:
    rows = [
        (case.name, query, document, grade)
        for case in cases
        for query, grades in case.grades.items()
        for document, grade in (grades.items() or [(None, None)])
    ]
    columns = dict(zip(("tenant_id", "query_id", "document_id", "grade"), map(list, zip(*rows, strict=True)), strict=True))
    return pa.table({**columns, "grade": pa.array(columns["grade"], pa.float64())})
