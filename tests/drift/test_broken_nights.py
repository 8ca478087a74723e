"""Nights that are broken as a whole: each gets a verdict and the cause that a person would see at once."""

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import pytest

import recallwatch

Row = dict[str, Any]
START = dt.datetime(2026, 11, 2, tzinfo=dt.UTC)
LABELS = [{"query_id": f"q{q}", "relevant": {f"d{q}_{i}": 1 for i in range(3)}} for q in range(30)]


def night(no: int, change: Callable[[Row], Row], *, prefix: str = "", n: int = 120) -> list[Row]:
    r = random.Random(no)
    rows = []
    for i in range(n):
        q = i % 30
        rows.append(
            change(
                {
                    "event_id": f"{no}-{i}",
                    "timestamp": START + dt.timedelta(days=no, seconds=700 * i + r.random()),
                    "query_id": f"q{q}",
                    "ranked_ids": [f"{prefix}d{q}_{j}" for j in range(3)] + [f"{prefix}n{q}_{j}" for j in range(4)],
                    "total_ms": 50 * r.lognormvariate(0, 0.3),
                    "stage_ms": {"rerank": 10 * r.lognormvariate(0, 0.2)},
                }
            )
        )
    return rows


def judged(change: Callable[[Row], Row], *, before: str = "", after: str = "") -> recallwatch.Drift:
    """Seven nights and one that changed; labels match the ids of the seven."""
    log = [row for no in range(7) for row in night(no, lambda row: row, prefix=before)] + night(7, change, prefix=after)
    labels = [{**one, "relevant": {before + i: g for i, g in one["relevant"].items()}} for one in LABELS]
    return recallwatch.drift(log, labels, window="day", threads=1)


def renamed(ids: Callable[[str], str]) -> Callable[[Row], Row]:
    return lambda row: {**row, "ranked_ids": [ids(i) for i in row["ranked_ids"]]}


@pytest.mark.parametrize(
    ("change", "cause", "words"),
    [
        (lambda row: {**row, "ranked_ids": []}, "top_k", "No list holds a document, 7 before"),
        (lambda row: {**row, "ranked_ids": row["ranked_ids"][3:]}, "documents_gone", "90 documents of 210"),
        (lambda row: {**row, "ranked_ids": row["ranked_ids"][:1] * 7}, "documents_gone", "180 documents of 210"),
        (lambda row: {**row, "total_ms": row["total_ms"] / 1000}, "unit", "near 1/1,000 of what they were"),
        (lambda row: {**row, "total_ms": None}, "stages", "No recall has its time any more"),
        (lambda row: {**row, "stage_ms": {"rerank": None}}, "stages", "No recall has a time of stage rerank any more"),
    ],
)
def test_a_night_that_broke_as_a_whole(change, cause, words) -> None:
    """No list holds anything, times of another unit or none: a failure with its cause, whatever else cannot be computed."""
    result = judged(change)
    assert result.verdict == "fail"
    assert result.causes[0]["cause"] == cause
    assert words in result.causes[0]["sentence"]


def test_longer_lists_are_told_and_no_failure() -> None:
    """Twice as many documents are asked for: nobody has to get up at night for it, and the cause says what it is."""
    result = judged(lambda row: {**row, "ranked_ids": row["ranked_ids"] + [f"m{i}" for i in range(7)]})
    assert result.verdict == "warn"
    assert result.causes[0]["sentence"] == "Lists are 14 documents long, 7 before: more are asked for, or logged."


@pytest.mark.parametrize(("before", "after"), [("", "kb:a_"), ("kb:a_", "")])
def test_ids_in_another_namespace_are_renamed_documents(before, after) -> None:
    """Every id got a prefix, or lost it: the documents did not leave the index."""
    result = judged(lambda row: row, before=before, after=after)
    assert result.verdict == "fail"
    assert result.causes[0]["cause"] == "documents_renamed"


def test_fewer_recalls_are_told_as_that() -> None:
    """A third of the recalls is missing: the cause says of the traffic what changed, and nothing else."""
    log = [row for no in range(9) for row in night(no, lambda row: row)] + night(9, lambda row: row)[::2]
    result = recallwatch.drift(log, LABELS, window="day", threads=1)
    assert [row["sentence"] for row in result.causes] == ["The traffic changed: fewer recalls came (5 → 2.5 an hour)."]


def test_a_night_of_errors_alone() -> None:
    """Every recall ended in an error: the sentence says that, once, and not that no query was asked."""
    found = judged(lambda row: {**row, "ranked_ids": [], "status": "error"})
    why = "all 120 recalls of the current window ended in an error"
    assert f"quality, answers, mix: too little data ({why})" in found.headline
    assert "in both windows" not in found.headline
    lacks = {row.family: row.measured.lack for row in found.findings if row.measured.lack and not row.measured.segment}
    assert {lacks[family] for family in ("quality", "answers", "mix")} == {why}
