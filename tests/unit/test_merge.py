"""Sums of parts merge to the sums of the whole, in any order and in any number of steps; no cluster is needed to see it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError
from recallwatch.read import read_labels
from recallwatch.scoring.binding import bind
from recallwatch.scoring.label_join import join_labels
from recallwatch.scoring.plan import plan_of
from recallwatch.spark.shipment import Part, Shipment, parquet_of, raise_first, row, unpacked
from recallwatch.spark.tasks import run

FILES = 3


@pytest.fixture(scope="module")
def shipment(tmp_path_factory: pytest.TempPathFactory) -> Shipment:
    """Sixty recalls of ten queries in three files, times whose sums depend on the order, and labels for eight queries."""
    folder = tmp_path_factory.mktemp("merge")
    rows = [
        {
            "event_id": f"e{n:02}",
            "query_id": f"q{n % 10}",
            "variant": "odd" if n % 2 else None,
            "timestamp": f"2026-11-0{1 + n % 3}T0{n % 9}:00:00Z",
            "ranked_ids": [f"d{n % 7}", f"d{n % 5}", "d1"][: n % 4],
            "total_ms": (0.1, 1e9, 1e-7, 3.3)[n % 4],
            "cache_hit": n % 3 == 0,
            "status": "error" if n % 11 == 0 else "ok",
        }
        for n in range(60)
    ]
    for number in range(FILES):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(found) + "\n" for found in rows[number::FILES]))
    (folder / "all.jsonl").write_text("".join(json.dumps(found) + "\n" for found in rows))
    labels = folder / "labels.jsonl"
    labels.write_text("".join(json.dumps({"query_id": f"q{q}", "relevant": ["d1", f"d{q}"]}) + "\n" for q in range(8)))
    return shipped(folder, labels)


def shipped(folder: Path, labels: Path) -> Shipment:
    """What the driver sends for it: parts 0 to 2 are the files, part 3 is the same events in one."""
    plan = plan_of(k="1,3", window="day", threads=1, memory_limit="1GB")
    engine = Engine(threads=1)
    try:
        bind(engine, plan.definition, plan.cut)
        read_labels(engine, [str(labels)])
        engine.run("create view events_once as from contract.events")
        join_labels(engine, log_columns={"query_id"})
        labelled = parquet_of(engine, "from label_periods")
    finally:
        engine.close()
    files = [*(f"{number}.jsonl" for number in range(FILES)), "all.jsonl"]
    parts = tuple(Part("flat", (str(folder / file),)) for file in files)
    return Shipment(plan, parts=parts, labelled=labelled, values=("variant",))


def sums(shipment: Shipment, number: int) -> bytes:
    [found] = run("sums", shipment, iter([pa.RecordBatch.from_pydict({"id": [number]})]))
    assert found["kind"].to_pylist() == ["sums"]
    return bytes(found["blob"][0].as_py())


def merged(shipment: Shipment, *blobs: bytes) -> bytes:
    [found] = run("gather", shipment, iter([row("sums", blob=blob) for blob in blobs]))
    assert found["kind"].to_pylist() == ["merged"]
    return bytes(found["blob"][0].as_py())


def lines(blob: bytes) -> list[str]:
    """The rows of merged sums, as text, in an order of their own."""
    engine = Engine(threads=1)
    try:
        return [
            found[0] for found in engine.run(f"select to_json(t)::varchar as line from {unpacked(engine, blob)} as t order by line")
        ]
    finally:
        engine.close()


def test_parts_merge_to_the_whole(shipment: Shipment) -> None:
    """Three parts at once, in two steps, in another order, and all events in one: the same rows, to the last digit."""
    a, b, c = (sums(shipment, number) for number in range(FILES))
    whole = lines(merged(shipment, sums(shipment, FILES)))
    assert len(whole) > 80
    assert lines(merged(shipment, a, b, c)) == whole
    assert lines(merged(shipment, merged(shipment, c, a), b)) == whole


def test_an_error_of_a_task_travels_whole(shipment: Shipment) -> None:
    """What a task refuses reaches the driver as the same error; of several, the first by place."""
    missing = Shipment(shipment.plan, parts=(Part("flat", ("nowhere.jsonl",)), Part("flat", ("elsewhere.jsonl",))))
    told = [
        found["blob"][0].as_py() for n in (0, 1) for found in run("look", missing, iter([pa.RecordBatch.from_pydict({"id": [n]})]))
    ]
    with pytest.raises(InputError, match=r"^elsewhere.jsonl: no such log file"):
        raise_first(told)
