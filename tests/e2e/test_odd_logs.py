"""Logs whose schemas grew, differ or nest: read by declared types, joined as text, counted."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from inputs import GOOD, LABELS, evaluated, jsonl, parquet, value

import recallwatch
from recallwatch.base.errors import InputError, UsageError


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "labels.jsonl", LABELS)


def latency(result: dict[str, Any], stage: str) -> dict[str, Any]:
    """The row of a stage over everything."""
    found: dict[str, Any] = next(row for row in result["latency"] if row["stage"] == stage and row["cache"] == "all")
    return found


def stages(result: dict[str, Any]) -> set[str]:
    return {row["stage"] for row in result["latency"]}


NUMBERS = [{"query_id": "1", "document_id": "7"}, {"query_id": "2", "document_id": "18446744073709551616"}]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_integer_ids_in_one_file_and_text_in_another(tmp_path: Path, order: str) -> None:
    """Ids are text: 7 and "7" are equal, whichever file comes first, and "7.0" is another id."""
    first, second = tmp_path / f"{order[0]}.parquet", tmp_path / f"{order[1]}.parquet"
    parquet(first, [{"event_id": 1, "query_id": 1, "ranked_ids": [7, 8]}])
    parquet(second, [{"event_id": "2", "query_id": "1", "ranked_ids": ["7.0", "7"]}])
    result = evaluated([first, second], jsonl(tmp_path / "labels.jsonl", NUMBERS))
    assert (result["counts"]["labelled_events"], value(result, k=1), value(result)) == (2, 0.5, 1)


def test_integer_ids_in_json(tmp_path: Path) -> None:
    """The same in JSON lines, of any size: 2 to the power of 64 keeps its digits."""
    rows = ['{"query_id": 1, "ranked_ids": [7, "x"]}', '{"query_id": "2", "ranked_ids": [18446744073709551616]}']
    labels = jsonl(
        tmp_path / "labels.jsonl", ['{"query_id": 1, "document_id": 7}', '{"query_id": 2, "document_id": 18446744073709551616}']
    )
    assert value(evaluated(jsonl(tmp_path / "log.jsonl", rows), labels), k=1) == 1


def test_schemas_that_grew(tmp_path: Path, labels: Path) -> None:
    """Integer times first and decimals later keep their decimals; columns added later, and lists of type null, are read."""
    folder = tmp_path / "logs"
    parquet(folder / "1.parquet", [{"event_id": "e1", "query_id": "q1", "ranked_ids": ["a"], "total_ms": 1, "search_ms": 1}])
    parquet(
        folder / "2.parquet",
        [{"event_id": "e2", "query_id": "q2", "ranked_ids": ["b"], "total_ms": 2.5, "search_ms": 2.5, "model": "m2"}],
    )
    parquet(folder / "3.parquet", [{"event_id": "e3", "query_id": "q2", "ranked_ids": []}], ranked_ids=pa.list_(pa.null()))
    result = evaluated(folder, labels, by="model")
    assert (latency(result, "total")["max_ms"], latency(result, "search")["max_ms"]) == (2.5, 2.5)
    assert result["counts"]["empty_rankings"] == 1
    assert {row["segment"].get("model") for row in result["metrics"]} == {None, "m2"}


def test_stages_as_struct_map_or_text(tmp_path: Path, labels: Path) -> None:
    """stage_ms may be a struct, a map or JSON text, in Parquet and in JSON lines; a null stage is a missing one."""
    row = {"query_id": "q1", "ranked_ids": ["a"]}
    struct = parquet(tmp_path / "s.parquet", [{**row, "stage_ms": {"search": 2, "embed": None}}, {**row, "stage_ms": None}])
    mapped = parquet(tmp_path / "m.parquet", [{**row, "stage_ms": [("search", 2.0)]}], stage_ms=pa.map_(pa.string(), pa.float64()))
    text = parquet(tmp_path / "t.parquet", [{**row, "stage_ms": '{"search": 2}'}])
    lines = jsonl(tmp_path / "l.jsonl", [{**row, "latency_ms": {"search": 2}}, {**row, "latency_ms": 9}])
    for log in (struct, mapped, text, lines):
        found = latency(evaluated(log, labels), "search")
        assert (found["n"], found["max_ms"]) == (1, 2.0), log
    assert latency(evaluated(struct, labels), "search")["n_missing"] == 1
    assert latency(evaluated(lines, labels), "total")["max_ms"] == 9


def test_stage_columns(tmp_path: Path, labels: Path) -> None:
    """A flat column with its unit in the name is a stage, in ms; a time-out is none."""
    row = {
        "query_id": "q1",
        "ranked_ids": ["a"],
        "search_ms": 1.5,
        "latency_rerank_ms": 2,
        "embed_us": 500,
        "generate_s": 2,
        "fuseMs": 3,
        "timeout_ms": 9,
    }
    for log in (jsonl(tmp_path / "log.jsonl", [row]), parquet(tmp_path / "log.parquet", [row])):
        result = evaluated(log, labels)
        found = {r["stage"]: r["max_ms"] for r in result["latency"]}
        assert found == {"search": 1.5, "rerank": 2, "embed": 0.5, "generate": 2000, "fuse": 3}


def test_hive_folders(tmp_path: Path, labels: Path) -> None:
    """A folder tenant=001 is a column of text: '001' stays what it is."""
    for tenant in ("001", "1"):
        parquet(tmp_path / "logs" / f"tenant={tenant}" / "day.parquet", GOOD)
    result = evaluated(tmp_path / "logs", labels, by="tenant")
    assert {row["segment"].get("tenant") for row in result["metrics"]} == {None, "001", "1"}


def test_compressed_files(tmp_path: Path, labels: Path) -> None:
    """.gz (of several members too) and .zst are told by their content, not their name."""
    text = jsonl(tmp_path / "log.jsonl", GOOD).read_bytes()
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(text[:20]) + gzip.compress(text[20:]))
    (tmp_path / "b.jsonl.zst").write_bytes(bytes(pa.compress(text, "zstd", asbytes=True)))
    (tmp_path / "c.log").write_bytes(gzip.compress(text))
    for name in ("a.jsonl.gz", "b.jsonl.zst", "c.log"):
        assert evaluated(tmp_path / name, labels)["counts"]["events"] == 2


@pytest.mark.parametrize(
    "given",
    [
        "2026-11-01T12:00:00.123456Z",
        "2026-11-01T14:00:00.123456+02:00",
        "2026-11-01 12:00:00.123456",
        "2026-11-01T07:00:00.123456-0500",
        1793534400.123456,
        "1793534400.123456",
        1793534400123.456,
        1793534400123456,
        1793534400123456789,
    ],
)
def test_timestamps(tmp_path: Path, labels: Path, given: Any) -> None:
    """ISO text with an offset or without (UTC), and epochs in s, ms, us and ns by their size, are the same moment."""
    result = evaluated(jsonl(tmp_path / "log.jsonl", [{**GOOD[0], "ts": given}]), labels)
    assert result["read"]["period"]["from"] == "2026-11-01T12:00:00.123456Z"
    if not isinstance(given, str):
        assert (
            evaluated(parquet(tmp_path / "log.parquet", [{**GOOD[0], "ts": given}]), labels)["read"]["period"]
            == result["read"]["period"]
        )


@pytest.mark.parametrize(
    "kind", [pa.timestamp("ns"), pa.timestamp("us", "America/New_York"), pa.timestamp("ms"), pa.timestamp("s", "UTC")]
)
def test_typed_timestamps(tmp_path: Path, labels: Path, kind: pa.DataType) -> None:
    """A Parquet timestamp of any unit: a naive one is UTC, a zoned one is its moment."""
    moment = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
    log = parquet(
        tmp_path / "log.parquet", [{**GOOD[0], "ts": moment.replace(tzinfo=None) if kind.tz is None else moment}], ts=kind
    )
    assert evaluated(log, labels)["read"]["period"]["from"] == "2026-11-01T12:00:00Z"


@pytest.mark.parametrize(("kind", "moment"), [("jsonl", "0001-01-01T00:00:00Z"), ("parquet", "9999-12-31T23:59:59.999999Z")])
def test_moments_that_stand_for_none(tmp_path: Path, labels: Path, moment: str, kind: str) -> None:
    """Year 1 and year 9999 are what programs write that have no time: rejected with what was seen, in every zone and way of reading."""
    rows = [{**GOOD[0], "event_id": f"e{day}", "ts": f"2026-11-0{day}T12:00:00Z"} for day in (1, 2, 3)]
    rows.append({**GOOD[0], "event_id": "never", "ts": moment})
    log = tmp_path / f"log.{kind}"
    if kind == "jsonl":
        jsonl(log, rows)
    else:
        parquet(log, [{**row, "ts": dt.datetime.fromisoformat(str(row["ts"]))} for row in rows], ts=pa.timestamp("us", "UTC"))
    with pytest.raises(InputError, match=rf"log\.{kind}:4: timestamp not understood \(saw .*{moment[:4]}-"):
        evaluated(log, labels)
    asked: dict[str, Any] = {"window": "day", "timezone": "America/New_York", "max_rejects": 0.5}
    one, kept = (recallwatch.evaluate(log, labels, **asked, **where).to_dict() for where in ({}, {"store": tmp_path / "store"}))
    assert (one["counts"]["events"], one["counts"]["rejected_lines"]) == (3, 1)
    assert one["metrics"] == kept["metrics"]
    series = recallwatch.drift(store=tmp_path / "store", series=True, window="day", timezone="America/New_York")
    assert series.windows is not None
    assert len(series.windows) == 2


@pytest.mark.parametrize(
    ("extra", "is_error"),
    [
        ({"error": True}, 1),
        ({"error": False}, 0),
        ({"error": "timeout"}, 1),
        ({"error": ""}, 0),
        ({"error": None}, 0),
        ({"error": {"type": "X"}}, 1),
        ({"status": "ERROR"}, 1),
        ({"status": "ok"}, 0),
    ],
)
def test_errors(tmp_path: Path, labels: Path, extra: dict[str, Any], is_error: int) -> None:
    """An event failed if its status or its error field says so: then the consumer got nothing, and recall is 0."""
    result = evaluated(jsonl(tmp_path / "log.jsonl", [{**GOOD[0], **extra}]), labels, k="1")
    assert result["counts"]["error_events"] == is_error
    assert value(result, k=1) == 1 - is_error


def test_attributes(tmp_path: Path, labels: Path) -> None:
    """Every other scalar field slices under its own name; the fields of a nested `attributes` object do too; other objects do not."""
    rows = [{**GOOD[0], "model": "m1", "n": 3, "ok": True, "deep": {"x": 1}, "attributes": {"user": "ann"}}, GOOD[1]]
    for log in (jsonl(tmp_path / "log.jsonl", rows), parquet(tmp_path / "log.parquet", rows)):
        for name, expected in (("model", "m1"), ("n", "3"), ("ok", "true"), ("user", "ann")):
            found = evaluated(log, labels, by=name)
            assert {row["segment"].get(name) for row in found["metrics"] if row["segment"]} == {None, expected}, (log, name)
    with pytest.raises(UsageError, match=r"no column or attribute 'modle'.*Did you mean 'model'"):
        evaluated(tmp_path / "log.jsonl", labels, by="modle")


def test_results_as_objects(tmp_path: Path, labels: Path) -> None:
    """Ids and scores inside a list of objects are read in its order; an object without id is an unknown id."""
    rows = [
        {"query_id": "q1", "results": [{"id": "x", "score": 0.9}, {"score": 0.8}, {"id": "a", "score": 0.1}]},
        {"query_id": "q2", "results": []},
    ]
    for log in (jsonl(tmp_path / "log.jsonl", rows), parquet(tmp_path / "log.parquet", rows)):
        result = evaluated(log, labels, k="2,3")
        assert (value(result, k=2), value(result, k=3)) == (0, 0.5)
        assert (result["counts"]["events_with_null_ids"], result["counts"]["empty_rankings"]) == (1, 1)


def test_keys_that_occur_twice(tmp_path: Path, labels: Path) -> None:
    """A line with a key twice is one event, or a counted reject; it is never lost."""
    rows = [
        '{"query_id": "q1", "query_id": "q1", "ranked_ids": ["a"]}',
        '{"query_id": "q2", "ranked_ids": ["a"], "stage_ms": {"search": 1, "search": 2}}',
        '{"query_id": "q2", "ranked_ids": ["a"], "attributes": {"x": 1, "x": 2}, "x": 3}',
        '{"query_id": "q2", "ranked_ids": ["a"], "deep": ' + "[" * 200 + "]" * 200 + "}",
    ]
    counts = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=1)["counts"]
    assert counts["events"] + counts["rejected_lines"] == 4
    assert counts["events"] >= 2


def test_fields_of_the_wrong_kind(tmp_path: Path, labels: Path) -> None:
    """A field of another kind than declared costs that field, or its event with a count, never the whole log."""
    rows = [
        {
            **GOOD[0],
            "event_id": {"a": 1},
            "total_ms": "fast",
            "top_k": "ten",
            "cache_hit": "maybe",
            "scores": "high",
            "stage_ms": [1, 2],
        },
        {**GOOD[1], "event_id": "e2", "ranked_ids": "a"},
        {**GOOD[1], "event_id": "e3", "ranked_ids": {"a": 1}},
        {**GOOD[1], "event_id": "e4", "ranked_ids": [["a"], {"id": "a"}]},
    ]
    counts = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=1)["counts"]
    assert counts["events"] + counts["rejected_lines"] == 4
    assert counts["events"] >= 1


def test_tables_are_read_like_files(tmp_path: Path, labels: Path) -> None:
    """Arrow tables and Polars frames give the numbers of the file with the same rows."""
    expected = evaluated(parquet(tmp_path / "log.parquet", GOOD), labels)
    frame = pl.DataFrame(GOOD)
    for log in (pa.Table.from_pylist(GOOD), frame):
        for given in (pa.Table.from_pylist(LABELS), pl.DataFrame(LABELS)):
            result = evaluated(log, given)
            assert result["metrics"] == expected["metrics"]
            assert result["latency"] == expected["latency"]


def test_same_file_named_twice(tmp_path: Path, labels: Path) -> None:
    """A file met by its name, its folder and a glob is read once."""
    folder = tmp_path / "logs"
    folder.mkdir()
    log = jsonl(folder / "log.jsonl", [{k: v for k, v in row.items() if k != "event_id"} for row in GOOD])
    (folder / ".hidden.jsonl").write_text("garbage")
    (folder / "tmp_log.jsonl").write_text("garbage")
    assert evaluated([log, folder, folder / "*.jsonl"], labels)["counts"]["events"] == 2
    assert json.dumps(recallwatch.evaluate(str(log), str(labels)).counts)


def test_columns_named_like_ours(tmp_path: Path, labels: Path) -> None:
    """A log may have columns named file, line, source or problem: they are attributes, and lineage stays ours."""
    rows = [{**GOOD[0], "file": "f", "line": "l", "source": "s", "problem": "p", "r": "x"}, {**GOOD[1], "file": "g"}]
    for log in (jsonl(tmp_path / "log.jsonl", rows), parquet(tmp_path / "log.parquet", rows)):
        result = evaluated(log, labels, by="file")
        assert {row["segment"].get("file") for row in result["metrics"]} == {None, "f", "g"}
        assert result["counts"]["events"] == 2


def test_keys_of_any_name(tmp_path: Path, labels: Path) -> None:
    """Keys that differ in case only, are empty, or hold dots and quotes are attributes like any other."""
    odd = {
        "model": "m",
        "Model": "M",
        "Query_ID": "other",
        "": "empty",
        "a.b": "dot",
        'c"d': "quote",
        "e'f": "tick",
        "g h": "space",
    }
    log = jsonl(tmp_path / "log.jsonl", [{**GOOD[0], **odd}])
    for name in ("model", "Model", "a.b", 'c"d', "e'f", "g h"):
        result = evaluated(log, labels, by=(name,), metrics=("recall@1",))
        assert [row["segment"] for row in result["metrics"]] == [{}, {name: odd[name]}]
        assert result["counts"]["labelled_events"] == 1
