"""score() and evaluate_retriever() take what Python people keep ids in; what has no order, or is no list, is refused in our words."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from recallwatch import evaluate_retriever, score
from recallwatch.base.errors import UsageError
from recallwatch.record import hits_of


def recall(ranked: Any, relevant: Any, k: int = 1) -> float | None:
    return score(ranked, relevant, k=k, metrics=["recall"])[f"recall@{k}"]


@pytest.mark.parametrize(
    "ranked",
    [[10, 20], (10, 20), np.array([10, 20]), pl.Series([10, 20]), pa.array([10, 20]), pa.chunked_array([[10], [20]]), ["10", "20"]],
)
def test_ids_of_any_kind(ranked: Any) -> None:
    """Whole numbers and text name the same document, whatever holds them."""
    assert recall(ranked, [10]) == 1 and recall(ranked, {10}) == 1 and recall(ranked, {10: 2, 20: 1}) == 0.5
    assert recall([ranked, ranked], [[10], np.array([20])]) == 0.5


@pytest.mark.parametrize(
    "ranked",
    [
        [("x", 0.9), ("a", 0.5)],
        (("x", 0.9), ("a", 0.5)),
        [("x", 0.9), ("a", 0.5), ("b", 0.1)],
        (["x", "a"], [0.9, 0.5]),
        [[7, 0.9], ["a", 0.5]],
    ],
)
def test_a_ranking_with_its_scores_is_one_ranking(ranked: Any) -> None:
    """(id, score) pairs and (ids, scores), as evaluate_retriever takes them, in the order given."""
    assert (recall(ranked, ["a"]), recall(ranked, ["a"], k=2)) == (0, 1)


@pytest.mark.parametrize(
    ("ranked", "relevant", "message"),
    [
        (["doc1"], "doc1", "saw the text 'doc1'"),
        ("doc1", ["doc1"], "saw the text 'doc1'"),
        ([["doc1"], ["doc2"]], ["doc1", "doc2"], "saw the text 'doc1'"),
        ({"a", "b"}, ["a"], "a set, which has no order"),
        (["a"], ["a", None], "a relevant id is None"),
        ([10.0], [10], "text or a whole number, saw 10.0"),
        ([["a"], ["b"]], [["a"]], "2 rankings but 1 label lists"),
        (["a", ["b"]], ["a"], "saw both"),
        (["a"], {"a": "high"}, "a grade is a finite number, saw 'high'"),
    ],
)
def test_refused(ranked: Any, relevant: Any, message: str) -> None:
    """A text is never taken apart, a set has no order, None is no id."""
    with pytest.raises(UsageError, match=message):
        recall(ranked, relevant)


def test_nothing_to_count_is_none_for_each_metric() -> None:
    """No relevant document, or only ones that were not judged: each metric asked for, without a value."""
    assert score(["a"], [], k=1, metrics=["recall", "mrr"]) == {"recall@1": None, "mrr": None}
    assert recall(["a"], {"a": None}) is None and recall(["a"], {"a": 1, "b": None}) == 1


@pytest.mark.parametrize(
    ("found", "ids"),
    [
        ((("a", 0.9), ("b", 0.8)), ["a", "b"]),
        (((1, 0.9), (2, 0.8)), ["1", "2"]),
        ([["a", 0.9], ["b", 0.8]], ["a", "b"]),
        ((["a", "b"], [0.9, 0.8]), ["a", "b"]),
        ((np.array([7, 8]), np.array([0.9, 0.8])), ["7", "8"]),
        ((("a", "b"), (0.9, 0.8)), ["a", "b"]),
        ({"ids": [["a", "b"]], "distances": [[0.1, 0.2]]}, ["a", "b"]),
        ({"a": 0.9, "b": 0.8}, ["a", "b"]),
        (pl.DataFrame({"id": ["a", "b"], "score": [0.9, 0.8]}), ["a", "b"]),
        (pa.table({"id": ["a", "b"]}), ["a", "b"]),
        ((i for i in (1, None)), ["1", None]),
    ],
)
def test_hits_of_any_shape(found: Any, ids: list[str | None]) -> None:
    """Two pairs are two results, (ids, scores) are columns; a mapping id -> score stands in the order of its scores."""
    assert hits_of(found).ids == ids


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ((np.array([[0.1, 0.2]]), np.array([[3, 4]])), "FAISS"),
        ((np.array([0.1, 0.2]), np.array([3, 4])), "FAISS"),
        ({"a", "b"}, "no order"),
        ({"a": 0.1, "b": 0.8}, "not in the order of its scores"),
        (((1, 9), (2, 8)), "pairs or"),
        ([1.5], "text or a whole number"),
        (None, "saw NoneType"),
        ("abc", "saw str"),
    ],
)
def test_results_that_are_none(found: Any, message: str) -> None:
    """What may mean two things, or has no order, is named in the report's errors and never scored."""
    with pytest.raises(TypeError, match=message):
        hits_of(found)


def test_a_retriever_of_sets_is_named() -> None:
    """The case counts as nothing returned, and says why."""
    report = evaluate_retriever(lambda _: {"a", "b"}, [("q", ["a"])], k=2)
    assert "no order" in report.errors["1"] and report.values["mrr"] == 0
