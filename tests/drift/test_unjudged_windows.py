"""Incomplete labels between two windows: what unjudged documents could turn, in drift and in the gates of a night."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.nightly.run import run

from .test_unjudged import Labels, expected_p

DAYS: dict[str, Any] = {"reference": "2026-03-02..2026-03-03", "current": "2026-03-03..2026-03-04", "threads": 1}
SETTINGS = {"metrics": ("precision@10",)}
Lists = dict[str, tuple[list[str], list[str]]]


def table(labels: Labels) -> pa.Table:
    """Labels as a table."""
    return pa.Table.from_pylist([{"query_id": q, "document_id": d, "grade": grade} for (q, d), grade in labels.items()])


def made(seed: int = 5) -> tuple[Lists, Labels]:
    """60 queries: the list of the first day is judged whole, that of the second where the first shows the document too."""
    r = np.random.default_rng(seed)
    lists, labels = {}, {}
    for q in range(60):
        shared = [f"s{i}" for i in range(6)]
        lists[f"q{q}"] = (shared + [f"a{i}" for i in range(4)], shared + [f"b{i}" for i in range(4)])
        labels |= {(f"q{q}", d): float(r.random() < 0.35) for d in lists[f"q{q}"][0]}
        labels[f"q{q}", "s0"] = 1.0
    return lists, labels


def two_days(lists: Lists) -> pa.Table:
    """Each query once a day; on the first day once more before, with another list, which is not its newest."""
    rows = []
    for n, (q, (a, b)) in enumerate(sorted(lists.items())):
        times = [("2026-03-02T08", a[::-1]), ("2026-03-02T12", a), ("2026-03-03T12", b)]
        rows += [{"query_id": q, "ranked_ids": ids, "timestamp": f"{at}:{n:02d}:00Z"} for at, ids in times]
    return pa.Table.from_pylist(rows)


def finding(result: recallwatch.Drift, metric: str = "precision") -> dict[str, Any]:
    """The row of a metric over everything."""
    return next(row for row in result.to_dict()["findings"] if row["metric"] == metric and not row["segment"])


def test_the_tipping_point_is_that_of_a_plain_loop() -> None:
    """θ* is the least θ at which a t test of the expected differences is no longer significant; labels of the reference alone: insufficient."""
    lists, labels = made()
    result = recallwatch.drift(two_days(lists), table(labels), **DAYS, **SETTINGS)
    row = finding(result)
    wanted = next(t for t in (round(0.01 * i, 2) for i in range(1, 101)) if expected_p(lists, labels, t)[1] > 0.05)
    assert row["tipping_point"] == pytest.approx(wanted, abs=0.015)  # documents are drawn, eight times a query
    assert (row["n_unjudged_reference"], row["n_unjudged_current"]) == (0, 240)
    assert row["rho"] == pytest.approx(
        np.mean([labels[q, d] > 0 for q, both in lists.items() for ids in both for d in ids if (q, d) in labels])
    )
    assert (row["verdict"], row["is_settled"]) == (("insufficient", False) if wanted <= row["rho"] / 2 else ("fail", True))
    assert f"{100 * row['tipping_point']:.0f} % of 240 unjudged documents of the current window" in row["reason"]


def test_labels_that_are_complete_need_none_of_it() -> None:
    """With every document judged, or said to be, the row is what it is without this question; other labels: it stands, and says when it would not."""
    lists, labels = made()
    log = two_days(lists)
    plain = finding(recallwatch.drift(log, table(labels), unjudged="irrelevant", **DAYS, **SETTINGS))
    every = labels | {(q, f"b{i}"): 0.0 for q in lists for i in range(4)}
    assert plain["verdict"] == "fail" and "rho" not in plain
    judged = finding(recallwatch.drift(log, table(every), **DAYS, **SETTINGS))
    assert {name: judged[name] for name in plain if name != "reason"} == {name: plain[name] for name in plain if name != "reason"}
    others = labels | {(q, f"z{i}"): 1.0 for q in lists for i in range(3)}  # relevant, and shown on neither day
    stands = finding(recallwatch.drift(log, table(others), **DAYS, **SETTINGS))
    assert (stands["verdict"], stands["is_settled"]) == ("fail", True)
    assert "the verdict changes if" in stands["reason"]
    relevant = table({pair: grade for pair, grade in labels.items() if grade > 0})
    alone = finding(recallwatch.drift(log, relevant, **DAYS, **SETTINGS))
    assert (alone["verdict"], alone["is_settled"], alone["rho"]) == ("fail", True, None)
    pooled = relevant.append_column("pool", pa.array([["v1"]] * relevant.num_rows))
    result = recallwatch.drift(log, pooled, **DAYS, **SETTINGS)
    assert finding(result)["verdict"] == "insufficient" and "every label comes from the reference" in result.headline


@pytest.fixture(scope="module")
def cranfield(shared_data: Path) -> tuple[pa.Table, Labels, Labels]:
    """Two days of bm25, then one of lsa128; every label; the labels of bm25's first five."""
    folder = shared_data / "cranfield_runs"
    log = pq.read_table(folder / "sweep.parquet", columns=["run_id", "config", "query_id", "ranked_ids"])
    log = log.filter(pc.and_(pc.equal(log["run_id"], "sweep-1"), pc.is_in(log["config"], pa.array(["bm25", "lsa128"]))))
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    truth = {(str(row["query_id"]), str(row["document_id"])): float(row["grade"]) for row in rows}
    days = {"bm25": range(2, 4), "lsa128": range(4, 5)}
    recalls = [
        {"query_id": str(row["query_id"]), "ranked_ids": row["ranked_ids"], "timestamp": f"2026-03-{day:02d}T{i % 24:02d}:30:00Z"}
        for i, row in enumerate(log.to_pylist())
        for day in days[row["config"]]
    ]
    shown = [(str(row["query_id"]), d) for row in log.to_pylist() if row["config"] == "bm25" for d in row["ranked_ids"][:5]]
    return pa.Table.from_pylist(recalls), truth, {pair: truth.get(pair, 0.0) for pair in shown}


def test_a_better_retriever_does_not_fail_on_the_labels_of_the_one_before(
    cranfield: tuple[pa.Table, Labels, Labels], tmp_path: Path
) -> None:
    """All labels: the new one is better. Labels of what the old one showed: worse for certain, so insufficient, with the reason; a store says the same."""
    log, truth, pool = cranfield
    options: dict[str, Any] = {"window": "day", "metrics": ("recall@10",), "incomplete": True, "threads": 1}
    assert finding(recallwatch.drift(log, table(truth), **options), "recall")["verdict"] == "improved"
    plain = finding(recallwatch.drift(log, table(pool), unjudged="irrelevant", **options), "recall")
    assert plain["verdict"] == "fail" and plain["effect"] < -0.1
    result = recallwatch.drift(log, table(pool), **options)
    row = finding(result, "recall")
    assert (row["verdict"], row["effect"]) == ("insufficient", plain["effect"])
    assert "quality: too little data (the labels favour the reference; the verdict changes if" in result.headline
    pq.write_table(log, tmp_path / "log.parquet")
    recallwatch.evaluate(tmp_path / "log.parquet", table(pool), store=tmp_path / "store", k="10")
    assert recallwatch.drift(store=tmp_path / "store", **options).to_dict() == result.to_dict()


def test_a_gate_on_such_a_change_is_insufficient(cranfield: tuple[pa.Table, Labels, Labels], tmp_path: Path) -> None:
    """Against the reference the gate is judged as drift is: no fail from labels of the reference alone, and its page says why."""
    log, _, pool = cranfield
    pq.write_table(log, tmp_path / "log.parquet")
    pq.write_table(table(pool), tmp_path / "labels.parquet")
    text = """
logs = "log.parquet"
labels = "labels.parquet"
max_age = "never"
[read]
threads = 1
[drift]
metrics = ["recall@10"]
incomplete = true
[gates]
"recall@10" = ">= baseline - 0.02"
[outputs]
write = ["json", "html"]
"""
    (tmp_path / "recallwatch.toml").write_text(text, encoding="utf-8")
    done = run(tmp_path / "recallwatch.toml")
    (gate,) = done.night.gates
    assert gate["verdict"] == "insufficient" and "the labels favour the reference" in gate["reason"]
    assert {f["family"] for f in (done.night.drift or {})["findings"] if f["verdict"] == "fail"} == {"labels"}  # fewer are judged
    page = next(path for path in done.files if path.name == "report.html").read_text(encoding="utf-8")
    assert "the labels favour the reference" in page
    (tmp_path / "recallwatch.toml").write_text(text + '[definition]\nunjudged = "irrelevant"\n', encoding="utf-8")
    (gate,) = run(tmp_path / "recallwatch.toml").night.gates
    assert gate["verdict"] == "fail"


@pytest.mark.wide
def test_nights_together_do_not_fail_on_labels_of_the_one_before() -> None:
    """A few lists a night show more new documents that nobody judged: too few for a night, a failure of nights together, insufficient with these labels."""
    random = np.random.default_rng(8)
    rows = []
    for night in range(22):
        for q in range(40):
            ids = [f"r{i}" for i in range(5)] + [f"n{i}" for i in range(5)]
            if random.random() < 0.1:
                ids[4] = "n5"
            if night >= 17 and random.random() < 0.2:
                ids[3:9] = [f"u{night}-{i}" for i in range(5)] + ["r4"]
            at = np.datetime64("2026-03-02") + np.timedelta64(night, "D")
            rows.append({"query_id": f"q{q}", "ranked_ids": ids, "timestamp": f"{at}T{q % 24:02d}:30:00Z"})
    labels = {(f"q{q}", f"{kind}{i}"): float(kind == "r") for q in range(40) for kind, n in (("r", 5), ("n", 6)) for i in range(n)}
    options: dict[str, Any] = {"window": "day", "series": True, "incomplete": True, "metrics": ("precision@10",), "threads": 1}
    complete = recallwatch.drift(pa.Table.from_pylist(rows), table(labels), unjudged="irrelevant", **options)
    doubted = recallwatch.drift(pa.Table.from_pylist(rows), table(labels), **options)
    over = [one for one in complete.windows if one.headline.startswith("Over the windows")]
    assert over and "quality" in {f.family for f in over[0].findings if f.verdict == "fail"}
    same = next(one for one in doubted.windows if one.current == over[0].current)
    row = finding(same)
    assert (row["verdict"], row["is_settled"]) == ("insufficient", False) and 0.5 < row["rho"] < 0.55
    assert 0 < row["tipping_point"] <= 0.25 and "of the current window are relevant" in row["reason"]
    assert "over 3 windows, too little data: the labels favour the reference" in same.headline
    assert same.verdicts()["quality"] == "insufficient"
