"""A partition of a DataFrame as its task keeps it, without a cluster: cut into files or not, the same rows under the same numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from recallwatch.base.engine import Engine
from recallwatch.scoring.binding import bind
from recallwatch.scoring.plan import plan_of
from recallwatch.spark import frames, share, survey
from recallwatch.spark.shipment import ROW, Shipment, Unpacked

N = 25


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine as a task has one."""
    found = Engine(threads=1)
    plan = plan_of()
    bind(found, plan.definition, plan.cut)
    yield found
    found.close()


def shipment() -> Shipment:
    """Of a plan with nothing asked; two tasks merge."""
    return Shipment(plan_of(), 1, "1GB", buckets=2)


def batches(**more: list[Any]) -> list[pa.RecordBatch]:
    """N recalls without ids of their own, as Spark hands them over: small batches."""
    rows = pa.table({"query_id": [f"q{n}" for n in range(N)], "ranked_ids": [[f"d{n}"] for n in range(N)], **more})
    return rows.to_batches(max_chunksize=4)


def seen(engine: Engine, rows: list[pa.RecordBatch]) -> list[tuple[Any, ...]]:
    """Events that a later job reads from what was kept."""
    kept = pa.Table.from_batches([batch for batch in rows if batch.column("kind")[0].as_py() == "frame"], ROW)
    kinds = [kind for kind, _number, _logs in share.parts_read(engine, shipment(), iter(kept.to_batches()))]
    assert kinds == ["frame"]
    return engine.run("select event_id, query_id, ranked_ids, source_line from normalised order by source_line")


@pytest.mark.parametrize("cut", [(1 << 20, 1 << 30), (8, 1), (10, 1 << 30)])
def test_files_of_a_partition(engine: Engine, monkeypatch: pytest.MonkeyPatch, cut: tuple[int, int]) -> None:
    """One file or several, one row group or several: rows are numbered on, and events without ids are named by them."""
    monkeypatch.setattr(frames, "GROUP_ROWS", cut[0])
    monkeypatch.setattr(frames, "FILE_BYTES", cut[1])
    rows = list(frames.spool_frame(engine, shipment(), iter(batches())))
    n_files = sum(batch.column("kind")[0].as_py() == "frame" for batch in rows)
    assert n_files == (4 if cut == (8, 1) else 1)
    assert seen(engine, rows) == [(f"logs:{n + 1}", f"q{n}", [f"d{n}"], n + 1) for n in range(N)]


def test_what_a_look_finds(engine: Engine) -> None:
    """Facts count the partition; hashes of event ids that occur twice anywhere come out of the meeting of all tasks, once."""
    ids = [f"e{n % 20}" for n in range(N)]  # e0 … e4 twice
    rows = list(frames.spool_frame(engine, shipment(), iter(batches(event_id=ids))))
    facts = next(json.loads(batch.column("blob")[0].as_py()) for batch in rows if batch.column("kind")[0].as_py() == "facts")
    assert (facts["n_records"], facts["n_events"], facts["rejects"], facts["logs"]["has_ids"]) == (N, N, [], True)
    others = [batch for batch in rows if batch.column("kind")[0].as_py() != "frame"]
    met = list(survey.meet(engine, shipment(), iter(others)))
    shared = Unpacked(engine)
    for batch in met:
        for kind, blob in zip(batch.column("kind").to_pylist(), batch.column("blob").to_pylist(), strict=True):
            if kind == "shared":
                shared.add(blob)
    expected = engine.run("select distinct event_hash('e' || n) as h from range(5) as r(n) order by h")
    assert engine.run(f"select h from {shared.relation} order by h") == expected
    assert any(batch.column("kind").to_pylist() == ["facts"] for batch in met)


def test_an_empty_partition(engine: Engine) -> None:
    """Nothing in, nothing out."""
    assert list(frames.spool_frame(engine, shipment(), iter([]))) == []
