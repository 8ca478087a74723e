"""Kinds of labels: who or what judged, on every way into the relation `labels`, and which kind a query's label is of."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.definition import KINDS
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError
from recallwatch.labels.ingestion import ingest_labels
from recallwatch.read import read_label_table, read_labels
from recallwatch.store.sql_query import ask

ROWS = [  # q1: a human says a, a judge says b and a; q2: only a judge; q3: clicks and synthetic; q4: a judge that no kind names
    {"query_id": "q1", "document_id": "a"},
    {"query_id": "q1", "document_id": "b", "kind": "judge", "judge": "m-1"},
    {"query_id": "q1", "document_id": "a", "grade": 0, "kind": "judge", "judge": "m-1"},
    {"query_id": "q2", "document_id": "a", "kind": "Judge", "judge": "m-1", "pool": "bm25, dense", "inclusion_probability": 0.5},
    {"query_id": "q3", "document_id": "b", "kind": "click"},
    {"query_id": "q3", "document_id": "a", "kind": "synthetic"},
    {"query_id": "q4", "document_id": "b", "judge": "m-2", "judged_at": "2026-11-01", "label_source": "night job"},
]
LOG = [{"query_id": f"q{n}", "ranked_ids": ["a", "c"]} for n in (1, 2, 3, 4)]
RECALL = {"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 0.0}  # by the first kind each has: human, judge, synthetic, judge
KIND = {"q1": "human", "q2": "judge", "q3": "synthetic", "q4": "judge"}


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows in the form of the file's suffix; every row has every column, the grade empty where it says none."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    full = [{name: row.get(name) for name in names} for row in rows]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(full), path)
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, names)
            writer.writeheader()
            writer.writerows(full)
    return path


def test_the_columns_on_every_way_in(tmp_path: Path) -> None:
    """JSON lines, CSV, Parquet and a table give the same kinds, judges, times, pools and probabilities; a kind nobody knows is refused."""
    rows = [{"grade": 1, **row} for row in ROWS]
    sql = "select query_id, document_id, kind, judge, judged_at is not null as at, judged_by, pool, inclusion_probability from labels order by all"
    seen = []
    with Engine() as engine:
        for name in ("l.jsonl", "l.csv", "l.parquet"):
            bound(engine)
            read_labels(engine, [str(written(tmp_path / name, rows))])
            seen.append(engine.rows(sql))
        engine.register(
            "given", pa.Table.from_pylist([{**dict.fromkeys(dict.fromkeys(n for r in rows for n in r)), **row} for row in rows])
        )
        read_label_table(engine, "given")
        seen.append(engine.rows(sql))
        assert engine.run("select label_kinds()")[0][0] == list(KINDS)
    assert all(one == seen[0] for one in seen)
    by = {(row["query_id"], row["document_id"], row["kind"]): row for row in seen[0]}
    assert by["q2", "a", "judge"] | {"at": 0} == {
        "query_id": "q2", "document_id": "a", "kind": "judge", "judge": "m-1", "at": 0, "judged_by": None,
        "pool": ["bm25", "dense"], "inclusion_probability": 0.5,
    }  # fmt: skip
    assert by["q4", "b", "judge"]["judged_by"] == "night job" and by["q4", "b", "judge"]["at"]
    for column, value, says in (("kind", "robot", "kind 'robot' is unknown"), ("inclusion_probability", 0, "is no probability")):
        with pytest.raises(InputError, match=rf"bad.jsonl:1: {column} .*{says.split(' ', 1)[1]}"):
            recallwatch.evaluate(pa.Table.from_pylist(LOG), written(tmp_path / "bad.jsonl", [{**ROWS[0], column: value}]))


def bound(engine: Engine) -> None:
    """The macros that reading needs."""
    engine.file("0_schema.sql")
    engine.file("1_normalise/values.sql")


def test_a_query_rests_on_one_kind(tmp_path: Path) -> None:
    """A query's label is of the first kind it has, humans' first: one-shot, in a store, in a log that carries its labels, after ingest-labels."""
    labels = written(tmp_path / "l.jsonl", ROWS)
    log = written(tmp_path / "log.jsonl", [{**row, "timestamp": "2026-11-01T00:00:00Z"} for row in LOG])
    one_shot = recallwatch.evaluate(log, labels, k="2", per_query=True).to_dict()
    assert {q["query_id"]: q["values"]["recall@2"] for q in one_shot["queries"]} == RECALL
    store = tmp_path / "store"
    recallwatch.evaluate(log, store=store, labels=written(tmp_path / "humans.jsonl", ROWS[:1]), k="2")
    ingest_labels(written(tmp_path / "more.jsonl", ROWS[1:]), store=store)
    assert recallwatch.evaluate(store=store, k="2").to_dict()["metrics"] == one_shot["metrics"]
    assert {row["query_id"]: row["kind"] for row in ask(store, "select query_id, kind from labelled_queries").to_pylist()} == KIND
    done = ingest_labels(written(tmp_path / "human.jsonl", [{"query_id": "q2", "document_id": "z"}]), store=store)
    assert done.counts["n_new"] == 1 and done.counts["n_replaced"] == 0
    values = {
        q["query_id"]: q["values"]["recall@2"]
        for q in recallwatch.evaluate(store=store, k="2", per_query=True).to_dict()["queries"]
    }
    assert values == {**RECALL, "q2": 0.0}
    carried = [{**row, "relevant": ["a"], "kind": "judge", "judge": "m-1"} for row in LOG] + [
        {**LOG[0], "relevant": ["z"], "kind": "retrieval"}
    ]
    own = recallwatch.evaluate(written(tmp_path / "own.jsonl", carried), k="2", per_query=True).to_dict()
    assert {q["query_id"]: q["values"]["recall@2"] for q in own["queries"]} == {"q1": 0.0, "q2": 1.0, "q3": 1.0, "q4": 1.0}


def test_a_mean_says_what_it_rests_on(tmp_path: Path) -> None:
    """Means over a judge's labels are called so, in text and JSON; drift and compare say at most warn of them, and no gate passes unnamed."""
    from recallwatch.nightly import gate_verdicts, gates
    from recallwatch.nightly.configuration import Gates
    from recallwatch.report.night import Night

    days = [f"2026-11-{day:02}T{hour:02}:00:00Z" for day in (1, 2) for hour in range(4)]
    log = [
        {"query_id": f"q{q}", "ranked_ids": ["a"] if at < "2026-11-02" or q % 2 else ["z"], "timestamp": at, "variant": at[:10]}
        for at in days
        for q in range(40)
    ]
    labels = [{"query_id": f"q{q}", "document_id": "a", "kind": "judge", "judge": "m-1"} for q in range(40)]
    seen = {}
    for name, rows in (
        ("judge", labels),
        ("human", [{**row, "kind": "human"} for row in labels]),
        ("mixed", [{**labels[0], "kind": "human"}, *labels[1:]]),
    ):
        result = recallwatch.evaluate(
            pa.Table.from_pylist(log), pa.Table.from_pylist(rows), k="1", metrics=("recall", "mrr"), window="day"
        )
        two = recallwatch.drift(
            pa.Table.from_pylist(log),
            pa.Table.from_pylist(rows),
            metrics=("recall@1",),
            reference="2026-11-01..2026-11-02",
            current="2026-11-02..2026-11-03",
        )
        pair = recallwatch.compare(
            pa.Table.from_pylist(log),
            pa.Table.from_pylist(rows),
            a="2026-11-01",
            b="2026-11-02",
            metrics=("recall@1",),
            unjudged="irrelevant",
        )
        back = recallwatch.compare(
            pa.Table.from_pylist(log),
            pa.Table.from_pylist(rows),
            b="2026-11-01",
            a="2026-11-02",
            metrics=("recall@1",),
            unjudged="irrelevant",
        )
        seen[name] = (result, two, pair, back)
    result, two, pair, back = seen["judge"]
    assert result.to_dict()["kinds"] == [{"kind": "judge", "judge": "m-1", "n_queries": 40}]
    assert all(row["kinds"] == {"judge": 40} for row in result.to_dict()["metrics"])
    text = str(result)
    assert "recall (judge)" in text and "labels: 40 queries of kind judge m-1" in text
    assert two.to_dict()["verdict"] == "warn" and "recall@1 (judge)" in str(two)
    assert pair.verdict == "warn" and "recall@1 (judge)" in pair.headline + str(pair) and back.verdict == "insufficient"
    assert (seen["human"][1].to_dict()["verdict"], seen["human"][2].verdict, seen["human"][3].verdict) == (
        "fail",
        "fail",
        "improved",
    )
    assert "kinds" not in seen["human"][0].to_dict() and "kinds" not in seen["human"][0].to_dict()["metrics"][0]
    assert "recall (human, judge)" in str(seen["mixed"][0]) and seen["mixed"][2].verdict == "warn"
    night = Night(result.to_dict())
    limits = {"recall@1": ">= 0.1", "recall@1 (judge)": ">= 0.1", "mrr (judge)": ">= 0.9"}
    chosen = Gates(limits=limits, on="all")
    rows = gate_verdicts.judge(gates.parse(chosen), chosen, night)
    assert [row["verdict"] for row in rows][1:] == ["pass", "fail"] and rows[0]["verdict"] != "pass"
    assert "recall@1 (judge)" in rows[0]["reason"] and gates.columns(gates.parse(chosen)) == ["recall@1", "mrr", "mrr_upper"]
