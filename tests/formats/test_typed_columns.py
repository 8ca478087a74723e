"""Columns of any type in Parquet, Arrow and a DuckDB table: read by their meaning, or rejected and named; no type ends in an error of the engine."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch import UsageError
from recallwatch.read import read_log_table
from recallwatch.scoring.binding import bind
from recallwatch.scoring.plan import plan_of

LABELS = [{"query_id": "q1", "relevant": ["d1"]}]
TIMED = pa.array([dt.datetime(2026, 3, 1)])
ODD = {
    "bytes": pa.array([b"\xff"]),
    "numbers": pa.array([[1.5]]),
    "bytes in a list": pa.array([[b"d1"]]),
    "lists in a list": pa.array([[["d1"]]]),
    "objects": pa.array([[{"s": 1}]]),
    "times in a list": pa.array([[dt.datetime(2026, 3, 1)]]),
    "object": pa.array([{"a": 1.5, "b": "x"}]),
    "texts in a map": pa.array([[("a", "fast"), ("b", "2")]], pa.map_(pa.string(), pa.string())),
    "lists in a map": pa.array([[("a", [1])]], pa.map_(pa.string(), pa.list_(pa.int64()))),
    "whole keys": pa.array([[(1, 1.5)]], pa.map_(pa.int64(), pa.float64())),
    "duration": pa.array([dt.timedelta(seconds=1)]),
    "boolean": pa.array([True]),
}
COLUMNS = ["timestamp", "query_id", "scores", "candidate_ids", "texts", "stage_ms", "total_ms", "cache_hit", "attributes"]


def test_no_type_of_a_column_ends_in_an_error_of_the_engine() -> None:
    """Each odd type in each column: what it cannot hold is null, and the recall is read or rejected."""
    rows = {}
    plan = plan_of(threads=1)
    with plan.engine() as engine:
        bind(engine, plan.definition, plan.cut)
        for column in COLUMNS:
            for kind, values in ODD.items():
                base = {"query_id": pa.array(["q1"]), "ranked_ids": pa.array([["d1"]]), "timestamp": TIMED}
                engine.register("given_logs", pa.table(base | {column: values}))
                read_log_table(engine, "given_logs")
                rows[column, kind] = engine.run(f"select {column} from normalised")[0][0]
    assert rows["scores", "numbers"] == [1.5] and rows["scores", "objects"] == [None]
    assert rows["stage_ms", "texts in a map"] == {"b": 2.0} and rows["stage_ms", "whole keys"] == {"1": 1.5}
    assert rows["total_ms", "boolean"] is None and rows["timestamp", "times in a list"] is None


@pytest.mark.parametrize("values", [[[["d1"]]], [[{"s": "d1"}]]])
def test_a_list_without_ids_is_rejected(tmp_path: Path, values: list[object]) -> None:
    """As in JSON lines: missing is not empty, whatever the file's statistics say."""
    pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": pa.array(values)}), tmp_path / "log.parquet")
    for given in (tmp_path / "log.parquet", pa.table({"query_id": ["q1"], "ranked_ids": pa.array(values)})):
        with pytest.raises(recallwatch.InputError, match="an id is a list, or an object without an id"):
            recallwatch.evaluate(given, LABELS)


def test_files_whose_ids_are_texts_and_objects(tmp_path: Path) -> None:
    """Side by side they read as they do alone."""
    for name, values in (("a", [["d1"]]), ("b", [[{"id": "d1"}]]), ("c", ['["d1"]'])):
        pq.write_table(pa.table({"query_id": ["q1"], "ranked_ids": pa.array(values)}), tmp_path / f"{name}.parquet")
    result = recallwatch.evaluate(tmp_path, LABELS, k="1", metrics=("recall",))
    assert (result.counts["events"], result.to_dict()["metrics"][0]["value"]) == (3, 1.0)


def test_a_type_that_the_engine_lacks_is_named_by_its_column() -> None:
    """Not the whole table in the message."""
    logs = pa.table({"query_id": ["q1"], "ranked_ids": [["d1"]], "total_ms": pa.array([1], pa.float16())})
    with pytest.raises(UsageError, match="logs: column total_ms: values of type halffloat are not read"):
        recallwatch.evaluate(logs, LABELS)
