"""Tables whose rows hold records of another form (answers, lists of lists, other programs' lines): the same ids as in JSON lines."""

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in
from test_several import CHROMA, FORMS, HITS, QUERIES, SEARCH, lists

from recallwatch import evaluate

HELLO = [("hello", ["a"])]
RECORD = {"query": "hello", "ranked_ids": ["a"]}
RETRIEVED = {"retrievalResults": [{"content": {"text": "x"}, "location": {"s3Location": {"uri": "a"}}, "score": 0.5}]}
ROWS: dict[str, tuple[dict[str, Any], list[tuple[str | None, list[str]]]]] = {
    "chroma": ({**QUERIES, **{key: CHROMA[key] for key in ("ids", "distances")}}, [("one", ["a", "b"]), ("two", ["c"])]),
    "chroma, one query": ({"query": "one", "ids": [["a", "b"]]}, [("one", ["a", "b"])]),
    "milvus": ({**QUERIES, "results": [[{"id": hit["id"]} for hit in hits] for hits in HITS]}, FORMS["milvus"][1]),
    "_search": ({"query": "one", "response": SEARCH}, [("one", ["a"])]),
    "_search in a text": ({"query": "one", "response": json.dumps(SEARCH)}, [("one", ["a"])]),
    "bedrock": ({"request": {"retrievalQuery": {"text": "hello"}}, "response": RETRIEVED}, HELLO),
    "a line": ({"message": json.dumps(RECORD)}, HELLO),
    "a line's record": ({"_source": RECORD}, HELLO),
}


@pytest.mark.parametrize("form", ROWS)
def test_rows_of_parquet(tmp_path: Path, form: str) -> None:
    """A row is read as the JSON it stands for, with its number as line."""
    record, expected = ROWS[form]
    pq.write_table(pa.Table.from_pylist([record] * 2), tmp_path / "log.parquet")
    found = found_in(tmp_path / "log.parquet")
    assert (sorted(lists(found)), found.rejects) == (sorted(expected * 2), [])
    assert {event["source_line"] for event in found.events} == {1, 2}


@pytest.mark.parametrize("form", ["chroma", "_search", "a line"])
def test_rows_in_memory(form: str) -> None:
    """Arrow, Polars and DuckDB's relations likewise."""
    record, expected = ROWS[form]
    table = pa.Table.from_pylist([record])
    labels = [{"query": query, "relevant": ids} for query, ids in expected]
    for given in (table, pl.from_arrow(table), duckdb.connect().from_arrow(table)):
        metrics = evaluate(given, labels, k=[3]).to_dict()["metrics"]
        assert next(m["value"] for m in metrics if (m["metric"], m["k"]) == ("recall", 3)) == 1.0


def test_an_answer_in_a_cell(tmp_path: Path) -> None:
    """CSV with an answer as JSON."""
    with (tmp_path / "log.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["query", "response"], ["one", json.dumps(SEARCH)]])
    assert lists(found_in(tmp_path / "log.csv")) == [("one", ["a"])]


@pytest.mark.parametrize(
    "record",
    [
        {"query": "hello", "ranked_ids": json.dumps(["a"])},
        {"query": "hello", "results": json.dumps([{"id": "a", "score": 0.5}])},
        {"query": "hello", "results": [{"_id": {"$oid": "a"}, "score": 0.5}]},
        {"query": "hello", "response": {"nearestNeighbors": [{"id": "0", "neighbors": [{"datapoint": {"datapointId": "a"}}]}]}},
    ],
)
def test_ids_in_other_places(tmp_path: Path, record: dict[str, Any]) -> None:
    """A list that is JSON in a text, ids of MongoDB, neighbors of Vertex AI's Vector Search."""
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n")
    assert lists(found_in(tmp_path / "log.jsonl")) == HELLO


def test_duration_in_a_row(tmp_path: Path) -> None:
    """What JSON cannot say is refused with the file."""
    table = pa.Table.from_pylist([{**ROWS["chroma"][0]}]).append_column("took", pa.array([5], pa.duration("ms")))
    pq.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(Exception, match=r"log\.parquet: expected a value of JSON, saw timedelta"):
        found_in(tmp_path / "log.parquet")
