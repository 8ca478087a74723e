"""Incomplete labels in a comparison: what unjudged documents could turn, who supplied the labels, and what to judge to settle it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from scipy import stats
from scipy.stats import binomtest

import recallwatch
from recallwatch.labels.ingestion import ingest_labels
from recallwatch.labels.suggestions import WORKSHEET
from recallwatch.stats.paired import tipping_point, weights_of

K = 10
Labels = dict[tuple[str, str], float]


def table(labels: Labels) -> pa.Table:
    """Labels as a table."""
    return pa.Table.from_pylist([{"query_id": q, "document_id": d, "grade": grade} for (q, d), grade in labels.items()])


def expected_p(lists: Mapping[str, tuple[list[str], list[str]]], labels: Labels, theta: float) -> tuple[float, float]:
    """Mean and t test's p of precision's differences, each unjudged document of one list alone being relevant with probability theta: plain loops."""
    d = []
    for query, (a, b) in lists.items():
        value = 0.0
        for document in set(a[:K]) ^ set(b[:K]):
            sign = 1 if document in b[:K] else -1
            value += sign * (float(labels[query, document] > 0) if (query, document) in labels else theta)
        d.append(value / K)
    return float(np.mean(d)), float(stats.ttest_1samp(d, 0).pvalue)


def made(seed: int = 5) -> tuple[dict[str, tuple[list[str], list[str]]], Labels]:
    """60 queries, of which a's list is judged whole, and b's where a shows the document too."""
    r = np.random.default_rng(seed)
    lists, labels = {}, {}
    for q in range(60):
        shared = [f"s{i}" for i in range(6)]
        a, b = shared + [f"a{i}" for i in range(4)], shared + [f"b{i}" for i in range(4)]
        labels |= {(f"q{q}", d): float(r.random() < 0.35) for d in a}
        labels[f"q{q}", "s0"] = 1.0
        lists[f"q{q}"] = (a, b)
    return lists, labels


def test_the_tipping_point_is_that_of_a_plain_loop() -> None:
    """θ* is the least θ at which a t test of the expected differences is no longer significant; a judged share of which half is more says insufficient."""
    lists, labels = made()
    log = [
        {"query_id": q, "ranked_ids": ids, "variant": name}
        for q, both in lists.items()
        for name, ids in zip("ab", both, strict=True)
    ]
    options: dict[str, Any] = {"a": "a", "b": "b", "metrics": ("precision@10",)}
    result = recallwatch.compare(pa.Table.from_pylist(log), table(labels), **options)
    row = next(row for row in result.metrics if row["metric"] == "precision")
    grid = [round(0.01 * i, 2) for i in range(1, 101)]
    wanted = next(theta for theta in grid if expected_p(lists, labels, theta)[1] > 0.05 or expected_p(lists, labels, theta)[0] >= 0)
    assert row["tipping_point"] == pytest.approx(wanted, abs=0.015)  # documents are drawn, eight times a query
    assert (row["n_unjudged_a"], row["n_unjudged_b"]) == (0, 240)
    judged = [labels[q, d] > 0 for q, both in lists.items() for ids in both for d in ids if (q, d) in labels]
    assert row["rho"] == pytest.approx(float(np.mean(judged)))
    assert wanted > row["rho"] / 2 or row["verdict"] == "insufficient"
    assert (row["tipping_point"] < row["rho"] and "unjudged documents of b" in row["reason"]) or row["verdict"] == "fail"
    complete = recallwatch.compare(pa.Table.from_pylist(log), table(labels), unjudged="irrelevant", **options)
    assert complete.verdict == "fail" and "rho" not in complete.metrics[0]
    relevant = recallwatch.compare(pa.Table.from_pylist(log), table({pair: g for pair, g in labels.items() if g > 0}), **options)
    assert relevant.verdict == "insufficient" and "every label comes from a" in relevant.headline
    both = {**{pair: g for pair, g in labels.items() if g > 0}, **{(f"q{q}", "b0"): 1.0 for q in range(20)}}
    last = recallwatch.compare(pa.Table.from_pylist(log), table(both), **options)
    assert last.verdict == "fail", last.headline
    documents = [d["document_id"] for task in result.tasks for d in task["documents"]]
    assert len(documents) == 60 and set(documents) == {"b0"}  # a quarter, the best rank first


def test_a_tipping_point_by_hand() -> None:
    """Ten equal differences of .2 and a shift that takes θ off each: significant until the mean is 0."""
    d, w = np.full(10, 0.2) + np.linspace(-0.01, 0.01, 10), weights_of(np.ones(10), np.ones(10), 1.0)
    shifts = np.array([np.zeros(10), np.full(10, -1.0)])
    assert tipping_point(d, w, shifts, np.array([0.0, 1.0]), 0.05) == pytest.approx(0.2)
    assert tipping_point(d, w, -shifts, np.array([0.0, 1.0]), 0.05) is None


@pytest.fixture(scope="module")
def cranfield(shared_data: Path) -> tuple[pa.Table, Labels]:
    """Two retrievers over 225 queries, and every label."""
    folder = shared_data / "cranfield_runs"
    log = pq.read_table(folder / "sweep.parquet", columns=["event_id", "ts", "run_id", "config", "query_id", "ranked_ids"])
    log = log.filter(pc.and_(pc.equal(log["run_id"], "sweep-1"), pc.is_in(log["config"], pa.array(["bm25", "lsa128"]))))
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    return log, {(str(row["query_id"]), str(row["document_id"])): float(row["grade"]) for row in rows}


def test_the_cranfield_story(cranfield: tuple[pa.Table, Labels], tmp_path: Path) -> None:
    """Labels of what bm25 showed first say that lsa128 is worse: insufficient, with the reason. The worksheet, filled in, settles it.

    With every document of both first tens judged, the verdict is what all labels say: lsa128 is better.
    """
    log, truth = cranfield
    options: dict[str, Any] = {"by": "config", "a": "bm25", "b": "lsa128", "metrics": ("recall@10",)}
    shown = [(r["config"], rank, (str(r["query_id"]), d)) for r in log.to_pylist() for rank, d in enumerate(r["ranked_ids"][:10])]
    pool = {pair: truth.get(pair, 0.0) for config, rank, pair in shown if config == "bm25" and rank < 5}
    assert recallwatch.compare(log, table(truth), **options).verdict == "improved"
    relevant_only = recallwatch.compare(log, table({pair: g for pair, g in pool.items() if g > 0}), **options)
    assert relevant_only.verdict == "insufficient" and "every label comes from bm25" in relevant_only.headline
    result = recallwatch.compare(log, table(pool), **options)
    assert result.verdict == "insufficient" and "the labels favour bm25; the verdict changes if 11 %" in result.headline
    assert (result.metrics[0]["a"], result.metrics[0]["b"]) == (pytest.approx(1.0), pytest.approx(0.893126, abs=1e-6))
    lines = [json.loads(line) for line in WORKSHEET.write(result).splitlines()]
    first = {(line["query_id"], d["document_id"]) for line in lines for d in line["documents"]}
    settled = recallwatch.compare(log, table(pool | {pair: truth.get(pair, 0.0) for pair in first}), **options)
    assert settled.metrics[0]["effect"] > 0 and settled.verdict == "insufficient" and len(first) == 417
    every = pool | {pair: truth.get(pair, 0.0) for _, _, pair in shown}
    assert recallwatch.compare(log, table(every), **options).verdict == "improved"
    path = tmp_path / "todo.jsonl"
    path.write_text(
        "".join(json.dumps({**line, "relevant": {d["document_id"]: 0 for d in line["documents"]}}) + "\n" for line in lines[:3])
    )
    pq.write_table(log, tmp_path / "log.parquet")
    recallwatch.evaluate(tmp_path / "log.parquet", table(pool), store=tmp_path / "store", k="10")
    assert ingest_labels(path, store=tmp_path / "store", judged_by="ada").counts["n_new"] == sum(
        len(line["documents"]) for line in lines[:3]
    )


@pytest.mark.parametrize(("n_relevant", "verdict"), [(0, "fail"), (6, "insufficient"), (12, "ok")])
def test_judged_documents_that_the_loser_alone_shows_speak_for_the_others(n_relevant: int, verdict: str) -> None:
    """60 of b's own 240 are judged. None relevant: the verdict stands; a tenth: it may turn; a fifth: no difference is certain."""
    lists, labels = made()
    r = np.random.default_rng(1)
    labels |= {(q, f"a{i}"): float(r.random() < 0.15) for q in lists for i in range(4)}
    labels |= {(f"q{q}", "b0"): float(q < n_relevant) for q in range(60)}
    log = [
        {"query_id": q, "ranked_ids": ids, "variant": name}
        for q, both in lists.items()
        for name, ids in zip("ab", both, strict=True)
    ]
    rows = {}
    for unjudged in ("not judged", "irrelevant"):
        definition = {} if unjudged == "not judged" else {"unjudged": unjudged}
        result = recallwatch.compare(
            pa.Table.from_pylist(log), table(labels), a="a", b="b", metrics=("precision@10",), **definition
        )
        rows[unjudged] = next(row for row in result.metrics if row["metric"] == "precision")
        headline = result.document().headline
        assert ("no certain difference (precision@10" in headline) == (verdict == "ok" and unjudged == "not judged")
    row = rows["not judged"]
    assert (rows["irrelevant"]["verdict"], row["verdict"]) == ("fail", verdict)
    low, high = binomtest(n_relevant, 60).proportion_ci(method="wilson")
    assert {"fail": row["tipping_point"] > high, "ok": row["tipping_point"] <= low}.get(verdict, low < row["tipping_point"] <= high)
    if verdict != "fail":
        assert f"(60 judged ones that it alone shows: {100 * n_relevant / 60:.0f} %)" in row["reason"]
