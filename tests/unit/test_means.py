"""What a mean is of: judged documents, means beside each other, intervals that never say certain, and every bit of a value."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError


def log(**ranked: list[str]) -> pa.Table:
    """One recall a query."""
    return pa.table({"query_id": list(ranked), "ranked_ids": pa.array(list(ranked.values()), pa.list_(pa.string()))})


def labels(*rows: tuple[str, str | None, float | None], **more: list[Any]) -> pa.Table:
    """Rows (query, document, grade)."""
    columns: dict[str, Any] = {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "document_id", "grade"))}
    return pa.table({**columns, **more})


def cell(result: Any, metric: str, k: int | None = None) -> dict[str, Any]:
    return next(row for row in result.to_dict()["metrics"] if row["metric"] == metric and row["k"] == k)


def test_judged_not_relevant_earns_no_gain() -> None:
    """is_relevant false without a grade is gain 0, in the list and in the ideal."""
    given = pa.table({"query_id": ["q", "q"], "document_id": ["a", "b"], "is_relevant": [False, True]})
    result = recallwatch.evaluate(log(q=["x", "a", "b"]), given, metrics=("ndcg@2", "ndcg@3", "recall@2"))
    assert [cell(result, *c)["value"] for c in (("ndcg", 2), ("recall", 2))] == [0, 0]
    assert cell(result, "ndcg", 3)["value"] == 1 / math.log2(4)


@pytest.mark.parametrize("rel_level", [None, 2])
def test_only_documents_not_relevant_make_no_no_answer_query(rel_level: float | None) -> None:
    """A query whose documents are all judged not relevant is in no binary mean and is not one where nothing is right; a warning counts it."""
    given = labels(
        ("q1", "a", 3),
        ("q1", "b", 1),
        ("q2", "f", 1 if rel_level else 0),
        ("q3", None, None),
        source=["l"] * 4,
        source_line=[1, 2, 3, 4],
    )
    result = recallwatch.evaluate(log(q1=["a"], q2=["f"], q3=[]), given, metrics=("recall@1", "ndcg@1"), rel_level=rel_level)
    assert result.to_dict()["answered"]["no_answer_queries"] == 1
    assert cell(result, "recall", 1)["n"] == 1
    assert cell(result, "ndcg", 1)["n"] == (2 if rel_level else 1)  # rel_level decides nothing of nDCG
    assert [w["n"] for w in result.to_dict()["warnings"] if w["code"] == "no_relevant_document"] == [1]
    assert ("nDCG@1: 2 recalls of 2 queries" if not rel_level else "") in str(result) or rel_level is None


def test_trec_evals_ndcg_is_over_all_queries() -> None:
    """Where no label earns a gain, trec_eval's nDCG is 0 and the query counts."""
    result = recallwatch.evaluate(
        log(q1=["a"], q2=["b"]), labels(("q1", "a", 1), ("q2", "b", 2)), metrics=("ndcg@1",), gain="1=0,2=2", compat="trec_eval"
    )
    assert (cell(result, "ndcg", 1)["value"], cell(result, "ndcg", 1)["n"]) == (0.5, 2)


@pytest.mark.parametrize("scores", [None, [None, None, None], [math.nan] * 3])
def test_lists_without_scores_stay_as_logged(scores: list[float | None] | None) -> None:
    """order=score sorts by scores; where there are none the logged order stands."""
    table = log(q=["a", "b", "c"])
    if scores:
        table = table.append_column("scores", pa.array([scores], pa.list_(pa.float64())))
    assert cell(recallwatch.evaluate(table, labels(("q", "a", 1)), metrics=("mrr",), order="score"), "mrr")["value"] == 1


def test_value_without_errors_follows_the_unit() -> None:
    """With unit=query it is what --errors skip gives."""
    table = pa.table(
        {
            "query_id": ["q1", "q1", "q1", "q2", "q2"],
            "ranked_ids": [["a"], ["a"], ["a"], ["x"], []],
            "status": ["ok"] * 4 + ["error"],
        }
    )
    given = labels(("q1", "a", 1), ("q2", "b", 1))
    row = cell(recallwatch.evaluate(table, given, metrics=("recall@1",), unit="query"), "recall", 1)
    assert (
        row["value_without_errors"]
        == cell(recallwatch.evaluate(table, given, metrics=("recall@1",), unit="query", errors="skip"), "recall", 1)["value"]
    )


@pytest.mark.parametrize("options", [{"f1": "of_means"}, {"no_relevant": "one"}])
def test_nothing_beats_the_best_possible(options: dict[str, str]) -> None:
    """What is attainable is reached by a perfect list, under any definition of the mean."""
    ten = [f"b{i}" for i in range(10)]
    rows = [("q1", "a", 1), *(("q2", d, 1) for d in ten)]
    result = recallwatch.evaluate(log(q1=["a"], q2=ten), labels(*rows), metrics=("f1@10", "recall@10"), **options)
    for row in result.to_dict()["metrics"]:
        assert row["value"] == pytest.approx(row["attainable"], abs=1e-15)


@pytest.mark.parametrize(
    ("n", "hit", "low", "high"), [(5, True, 0.5655, 1), (20, True, 0.8389, 1), (20, False, 0, 0.1611), (4, True, None, None)]
)
def test_no_interval_of_width_0(n: int, hit: bool, low: float | None, high: float | None) -> None:
    """All hits or no hits: Wilson's interval on the effective number of queries."""
    table = log(**{f"q{i}": ["a" if hit else "x"] for i in range(n)})
    row = cell(recallwatch.evaluate(table, labels(*((f"q{i}", "a", 1) for i in range(n))), metrics=("success@1",)), "success", 1)
    assert (row["ci_low"], row["ci_high"]) == (
        low if low is None else pytest.approx(low, abs=1e-4),
        high if high is None else pytest.approx(high, abs=1e-4),
    )


@pytest.mark.parametrize("n", [1, 3, 7, 11, 1000])
def test_values_keep_every_bit(n: int) -> None:
    """A mean of equal values is that value, by events and by queries, and so is what is attainable."""
    table = pa.table({"query_id": [f"q{i % 3}" for i in range(n)], "ranked_ids": [["a"]] * n})
    rows = [(f"q{i}", d, 1) for i in range(3) for d in ("a", "b", "c")]
    row = cell(recallwatch.evaluate(table, labels(*rows), metrics=("recall@1",), per_query=True), "recall", 1)
    assert row["value"] == row["value_by_query"] == row["attainable"] == 1 / 3


def test_a_gain_without_bounds_is_refused() -> None:
    """2^1500 is no number a share can be made of: it was nDCG 1 whatever was returned."""
    with pytest.raises(InputError, match=r"gain of grade 1500"):
        recallwatch.evaluate(log(q=["x", "a"]), labels(("q", "a", 1500)), metrics=("ndcg@3",), gain="exponential")
    for option in ({"gain": "1=nan"}, {"gain": "1=inf"}, {"rel_level": math.nan}):
        with pytest.raises(UsageError, match=r"gain|rel.level"):
            recallwatch.evaluate(log(q=["a"]), labels(("q", "a", 1)), **option)


def test_answers_are_missing_only_where_there_is_a_right_one() -> None:
    """missing=zero counts a query never asked in a metric of answers only if it has a gold answer."""
    table = pa.table({"query_id": ["q1"], "ranked_ids": [["a"]], "answer": ["x"]})
    given = pa.table({"query_id": ["q1", "q2", "q3"], "document_id": ["a", "a", "a"], "gold_answers": [["x"], ["y"], None]})
    result = recallwatch.evaluate(table, given, metrics=("answer_exact", "recall@1"), missing="zero")
    assert (cell(result, "answer_exact")["value"], cell(result, "answer_exact")["n"]) == (0.5, 2)
    assert cell(result, "recall", 1)["n"] == 3
    assert "left out of the means" not in str(result)
