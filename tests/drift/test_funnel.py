"""The loss funnel: any number of lists between stages, what each holds and loses, in lift, compare, drift and on the page."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def night(no: int, *, dropped: str = "") -> list[dict[str, Any]]:
    """Forty queries twice: two searches, their union, a filter, ten results; from ``dropped`` on a stage loses the second relevant document."""
    rows = []
    for q, turn in ((q, turn) for q in range(40) for turn in (0, 1)):
        docs = [f"q{q}r0", f"q{q}r1", *(f"q{q}x{i}" for i in range(18))]
        words, vectors = docs[::2], docs[1::2]
        union = [d for d in docs if not (dropped == "fused" and d == f"q{q}r1")]
        kept = [d for d in union if not (dropped == "filter" and d == f"q{q}r1")][:15]
        rows.append(
            {
                "event_id": f"{no}-{q}-{turn}",
                "timestamp": START + dt.timedelta(days=no, minutes=20 * q + turn),
                "query_id": f"q{q}",
                "index_version": "v2" if dropped else "v1",
                "candidates": {"bm25": words, "dense": vectors, "fused": union, "filter": kept},
                "ranked_ids": kept[:10],
            }
        )
    return rows


LABELS = [{"query_id": f"q{q}", "relevant": [f"q{q}r0", f"q{q}r1", f"q{q}x17", f"q{q}nowhere"]} for q in range(40)]


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows)


def test_losses_and_recall_sum_up_to_one() -> None:
    """A second search beside the first loses nothing; the filter and the cut lose what they cut; what is in no list was lost by the search."""
    rows = {row["stage"]: row for row in recallwatch.lift(table(night(0)), LABELS).funnel}
    assert list(rows) == ["search", "bm25", "dense", "fused", "filter", "returned", "first k"]
    assert [rows[name]["recall"] for name in rows] == [None, 0.25, 0.5, 0.75, 0.5, 0.5, 0.5]
    assert {name: row["lost"] for name, row in rows.items() if row["lost"]} == {"search": 0.25, "filter": 0.25}
    assert (rows["filter"]["near"], rows["filter"]["length"]) == (80, 15.0), "rank 20 of the union is within twice fifteen"
    assert sum(row["lost"] for row in rows.values()) + rows["first k"]["recall"] == pytest.approx(1)


@pytest.mark.parametrize("form", ["lists", "scored", "rows", "text"])
def test_every_form_of_the_lists_says_the_same(form: str, tmp_path: Path) -> None:
    """Ids alone, objects with scores, a list of stages, a JSON text; JSON lines and Parquet; canonical again after `convert`."""
    made: dict[str, Any] = {
        "lists": lambda lists: lists,
        "scored": lambda lists: {name: [{"id": d, "score": 1 / (i + 1)} for i, d in enumerate(ids)] for name, ids in lists.items()},
        "rows": lambda lists: [{"stage": name, "ids": ids, "scores": [0.5] * len(ids)} for name, ids in lists.items()],
        "text": json.dumps,
    }
    expected = recallwatch.lift(table(night(0)), LABELS).to_dict()
    rows = [{**row, "candidates": made[form](row["candidates"])} for row in night(0)]
    lines = tmp_path / "log.jsonl"
    lines.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), encoding="utf-8")
    pq.write_table(table(rows), tmp_path / "log.parquet")
    recallwatch.evaluate(lines, LABELS, store=tmp_path / "store")
    for log in (lines, tmp_path / "log.parquet", tmp_path / "store"):
        assert recallwatch.lift(log, LABELS).to_dict() == expected


@pytest.mark.parametrize("stage", ["fused", "filter"])
def test_the_stage_that_lost_it_is_named(stage: str, tmp_path: Path) -> None:
    """A night on which one stage drops a document that the searches still have: the stage is the first cause, in drift, from a store too, and in compare."""
    rows = [row for no in range(9) for row in night(no, dropped=stage if no == 8 else "")]
    result = recallwatch.drift(table(rows), LABELS, window="day").to_dict()
    assert (result["causes"][0]["cause"], result["causes"][0]["stage"]) == ("stage_loses", stage)
    losses = {(row["side"], row["stage"]): row["lost"] for row in result["funnel"]}
    assert losses["current", stage] - losses["reference", stage] == pytest.approx(0.25)
    pq.write_table(table(rows), tmp_path / "log.parquet")
    recallwatch.evaluate(tmp_path / "log.parquet", LABELS, store=tmp_path / "store")
    for _ in range(2):
        assert recallwatch.drift(store=tmp_path / "store", labels=LABELS, window="day").to_dict() == result
    both = recallwatch.compare(table(rows), LABELS, by="index_version", a="v1", b="v2")
    assert {row["side"] for row in both.funnel} == {"a", "b"}
    assert "Where relevant documents are lost" in str(both)


def test_explain_names_the_list_that_last_had_it() -> None:
    """A document that an early stage still had: which list, at which rank, and how far its score was from the place of the cut."""
    lists = {"bm25": [{"id": d, "score": s} for d, s in (("a", 0.9), ("b", 0.8), ("c", 0.5))], "filter": ["a", "b"]}
    log = [{"event_id": "e", "query_id": "q", "ranked_ids": ["a", "b"], "candidates": lists}]
    result = recallwatch.explain("q", table(log), [{"query_id": "q", "relevant": ["a", "c"]}])
    row = next(row for row in result.documents if row["document_id"] == "c")
    assert (row["reason"], row["held_by"], row["median_score_gap"]) == ("dropped between stages", "bm25", pytest.approx(0.3))
    assert "last in the list of bm25" in str(result)
