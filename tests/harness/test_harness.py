"""A retriever put to cases gives what a reader computes by hand, and a failing limit names its queries."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recallwatch
from recallwatch import Case, evaluate_retriever
from recallwatch.base.errors import UsageError
from recallwatch.testing import assert_quality

COURSE = {
    "where I work": (["acme"], ["acme", "portland", "python"]),
    "my allergy": (["shellfish"], ["python", "portland", "shellfish"]),
    "my deadlines": (["q3", "acme"], ["q3", "python", "acme"]),
}
CASES = [(query, relevant) for query, (relevant, _) in COURSE.items()]


def search(query: str) -> list[str]:
    """The course's ranking."""
    return COURSE[query][1]


def test_course_example() -> None:
    """Three queries: recall 1/1/1, precision .33/.33/.67, MRR 1/.33/1, nDCG 1/.50/.92, each mean over them."""
    report = evaluate_retriever(search, CASES, k=3, compat="course")
    each = {q["query_text"]: q["values"] for q in report.queries}
    expected = {
        "recall": (1, 1, 1),
        "precision": (0.33, 0.33, 0.67),
        "mrr": (1, 0.33, 1),
        "ndcg": (1, 0.50, 0.92),
    }
    for metric, values in expected.items():
        assert [round(each[query][metric], 2) for query in COURSE] == [pytest.approx(v) for v in values], metric
        assert report.values[metric] == pytest.approx(sum(each[query][metric] for query in COURSE) / 3)
    assert_quality(report, recall=1, precision=0.44, mrr=0.77, ndcg=0.80)


def test_a_failing_limit_names_the_queries() -> None:
    """The message has each failed limit with its value, and the queries behind it with what they missed; others are not named."""
    report = evaluate_retriever(lambda query, k: search(query)[:k], CASES, k=1)
    with pytest.raises(AssertionError) as failed:
        assert_quality(report, recall=0.70, mrr=0.90, precision=0.5)
    text = str(failed.value)
    assert "recall 0.5000 < 0.7" in text and "mrr 0.6667 < 0.9" in text and "precision" not in text
    assert re.search(r"my allergy +0\.0000 +shellfish", text) and re.search(r"my deadlines +\S+ +acme", text)
    assert "where I work" not in text
    assert "my allergy" in str(report)


def test_graded_cases_tell_relevance_apart() -> None:
    """A document may be graded and not relevant: it earns gain in nDCG and nothing in recall."""
    case = Case("q", ["a", "b"], {"a": 1.0, "b": 0.5, "c": 0.2})
    report = evaluate_retriever(lambda _: ["c", "a"], [case], k=2, compat="codemem")
    discount = 1 / np.log2(3)
    assert report.values["recall"] == 0.5 and report.values["precision"] == 0.5
    assert report.values["ndcg"] == pytest.approx((0.2 + discount) / (1 + 0.5 * discount))


def test_codemem_example() -> None:
    """Three cases by hand: precision over what came back, F1 of the means, nDCG over the graded case alone; the failing limit names its cases."""
    ranked = {"graded": ["c", "a"], "short": ["x"], "many": ["p", "z", "q"]}
    cases = [
        Case("graded", ["a", "b"], {"a": 1.0, "b": 0.5, "c": 0.2}),
        Case("short", ["x"]),
        Case("many", ["p", "q", "r", "s"]),
    ]
    report = evaluate_retriever(lambda query: ranked[query], cases, k=3, compat="codemem")
    precision, recall, discount = (1 / 2 + 1 / 1 + 2 / 3) / 3, (1 / 2 + 1 + 2 / 4) / 3, 1 / np.log2(3)
    assert report.values == {
        "precision": pytest.approx(precision),
        "recall": pytest.approx(recall),
        "f1": pytest.approx(2 * precision * recall / (precision + recall)),
        "ndcg": pytest.approx((0.2 + discount) / (1 + 0.5 * discount + 0.2 / 2)),
        "mrr": pytest.approx((1 / 2 + 1 + 1) / 3),
    }
    assert_quality(report, precision=0.72, recall=0.66, mrr=0.83)
    with pytest.raises(AssertionError, match=r"recall 0\.6667 < 0\.7, behind it 2 of 3 queries") as failed:
        assert_quality(report, precision=0.70, recall=0.70)
    text = str(failed.value)
    assert re.search(r"graded +0\.5000 +b\n", text) and re.search(r"many +0\.5000 +r, s\n?", text) and "short" not in text


def test_a_mapping_of_grades_is_relevance_and_gain() -> None:
    """Grades given as the relevant ids are both."""
    report = evaluate_retriever(lambda _: ["b", "a"], [{"query": "q", "relevant": {"a": 3, "b": 0}}], k=2)
    assert (report.values["recall"], report.values["mrr"]) == (1, 0.5)


class Store:
    """Retrievers of every kind of trouble, by query."""

    def search(self, query: str, top_k: int = 5) -> Any:
        """Answer, or do what the query says."""
        if query == "raises":
            raise ConnectionError("no store")
        if query == "hangs":
            threading.Event().wait(30)
        return {
            "none": None,
            "fewer": ["a"],
            "repeats": ["a", "a", "a"],
            "null ids": [None, "a"],
            "numpy": np.array([1, 2]),
            "nothing": [],
        }[query][:top_k]


def test_bad_retrievers_cost_their_own_case_only() -> None:
    """One that raises, hangs or returns no list is an error of that case, named and counted as nothing returned."""
    cases = [
        (q, [1] if q == "numpy" else ["a"]) for q in ("raises", "hangs", "none", "fewer", "repeats", "null ids", "numpy", "nothing")
    ]
    report = evaluate_retriever(Store().search, cases, k=3, timeout=2)
    each = {q["query_text"]: q["values"]["recall"] for q in report.queries}
    assert each == {"raises": 0, "hangs": 0, "none": 0, "fewer": 1, "repeats": 1, "null ids": 1, "numpy": 1, "nothing": 0}
    assert {k: v.partition(":")[0] for k, v in report.errors.items()} == {
        "1": "ConnectionError",
        "2": "TimeoutError",
        "3": "TypeError",
    }
    assert "ConnectionError: no store" in str(report)
    assert {q["query_text"] for q in report.queries[:4]} == {"raises", "hangs", "none", "nothing"}


def test_the_recording_is_a_log(tmp_path: Path) -> None:
    """What the harness kept evaluates to the same by the normal path; async retrievers are awaited."""

    async def retrieve(query: str) -> list[str]:
        return search(query)

    report = evaluate_retriever(retrieve, CASES, k=3, record_to=tmp_path / "kept")
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(f'{{"query_id": "{n}", "relevant": {relevant}}}\n'.replace("'", '"') for n, (_, relevant) in enumerate(CASES, 1))
    )
    again = recallwatch.evaluate(tmp_path / "kept", labels, k=3, metrics="ndcg").metrics["value"].to_pylist()
    assert again == [report.values["ndcg"]]


def test_fixture(recall_quality: Callable[..., Any]) -> None:
    """The pytest fixture evaluates, holds to the limits and returns the report."""
    assert recall_quality(search, CASES, 3, recall=1.0).k == 3
    with pytest.raises(AssertionError, match=r"mrr 0\.7778 < 0\.9"):
        recall_quality(search, CASES, 3, mrr=0.9)


@pytest.mark.parametrize(
    ("cases", "k", "says"),
    [
        ([], 3, "no cases"),
        ([("q", "a")], 3, "list of ids"),
        ([7], 3, "case 1"),
        ([{"question": "q"}], 3, "case 1"),
        ([Case("q", ["a"], query_id="x"), Case("r", ["a"], query_id="x")], 3, "'x'"),
        (CASES, 0, "k must be"),
    ],
)
def test_wrong_cases_are_told_before_anything_is_asked(cases: Any, k: int, says: str) -> None:
    """Cases that cannot be meant are the caller's mistake, in one line."""
    with pytest.raises(UsageError, match=says):
        evaluate_retriever(pytest.fail, cases, k)


def test_wrong_limits() -> None:
    """A limit without a metric, or beyond 0..1, is refused; a case where nothing is right gives no value to hold to one."""
    report = evaluate_retriever(lambda _: [], [("q", [])], k=1)
    for limits in ({}, {"recal": 0.5}, {"recall": 80}, {"recall": True}):
        with pytest.raises(UsageError, match="assert_quality"):
            assert_quality(report, **limits)
    with pytest.raises(AssertionError, match="no query counts"):
        assert_quality(report, recall=0.5)
