"""Numbers of a log: what is none is no measurement, flagged and counted, in any container; durations have their unit."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from format_reading import found_in

from recallwatch import evaluate
from recallwatch.base.errors import InputError
from recallwatch.store import ingest

NONE: list[Any] = ["fast", "12 ms", True, "NaN", "1,5"]
EMPTY: list[Any] = [None, "", " "]
PROFILE = """[events]
query_text = "query"
ranked_ids = "ranked_ids"
total_ms = {path = "total_ms", unit = "ms"}
cost_usd = "cost_usd"
scores = "scores"
stage_ms = {search = {path = "search_ms", unit = "ms"}}
"""
FLAGS = ["cost_invalid", "latency_invalid", "score_invalid"]


def record(value: Any) -> dict[str, Any]:
    return {"query": "q", "ranked_ids": ["a"], "total_ms": value, "cost_usd": value, "scores": [value], "search_ms": value}


@pytest.mark.parametrize("container", ["json", "csv", "parquet", "profile"])
@pytest.mark.parametrize("value", [*NONE, *EMPTY, 1, 1.5, "2.5"])
def test_what_is_no_number(tmp_path: Path, container: str, value: Any) -> None:
    """Text and true where a number is expected: null and a flag, never 1 and never without a word; nothing stays nothing."""
    row, path = record(value), tmp_path / "log"
    if container == "csv":
        cells = [json.dumps(cell) if isinstance(cell, list) else "" if cell is None else str(cell) for cell in row.values()]
        path.write_text(",".join(row) + "\n" + ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n")
    elif container == "parquet":
        pq.write_table(pa.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps(row) + "\n")
    (tmp_path / "p.toml").write_text(PROFILE)
    (event,) = found_in(path, **({"profile": str(tmp_path / "p.toml")} if container == "profile" else {})).events
    expected = None if any(value is none for none in [*NONE, *EMPTY]) else float(value)
    assert (event["total_ms"], event["cost_usd"], event["scores"]) == (expected, expected, [expected])
    assert (event["stage_ms"] or {}).get("search") == expected
    assert sorted(event["flags"]) == (FLAGS if any(value is none for none in NONE) else [])


STAGES = [
    '{"embed": 1.5, "search": 2}', '{"search": 2, "embed": 1.5}', '{"embed": 1.5}', '{"embed": 1, "search": "3"}', '{"embed": null, "search": 4}',
    '{"embed": 5, "search": 6, "rerank": 7}', '{"embed": 8, "Embed": 9}', '{"embed": 1, "search": 2, "embed": 3}', '{"": 1, "search": 2}', "{}",
    "null", "7", '"text"', "[1]", '{"embed": [1], "search": {"a": 1}}', '{"embed": true, "search": 1e400}', '{"embed": 12345678901234567890, "search": -0.0}',
]  # fmt: skip


def test_stages_whatever_stands_first(tmp_path: Path) -> None:
    """An object of stages is read alike whether the first record has its keys (the fast way) or others."""

    def read(*stages: str) -> list[tuple[Any, ...]]:
        lines = (f'{{"event_id": "{n}", "ranked_ids": ["a"], "stage_ms": {stage}}}\n' for n, stage in enumerate(stages, 10))
        (tmp_path / "log.jsonl").write_text("".join(lines))
        return [(repr(event["stage_ms"]), event["total_ms"], event["flags"]) for event in found_in(tmp_path / "log.jsonl").events]

    slowly = read('{"x": 1}', *STAGES)[1:]
    assert slowly[0] == ("{'embed': 1.5, 'search': 2.0}", None, [])
    for stage in STAGES:
        assert read(stage, *STAGES)[1:] == slowly


def test_stages_in_an_object(tmp_path: Path) -> None:
    """The stage that is no number is left out and flagged; one that is null is there without a time."""
    (tmp_path / "log").write_text(
        json.dumps({"ranked_ids": ["a"], "stage_ms": {"search": "slow", "rerank": 3, "embed": True, "other": 1}})
    )
    (event,) = found_in(tmp_path / "log").events
    assert (event["stage_ms"], event["flags"]) == ({"rerank": 3.0, "other": 1.0}, ["latency_invalid"])


def test_a_stage_of_two_columns(tmp_path: Path) -> None:
    """A column that got another name one day is one stage; two times of it in one record are refused, equal ones in two units are not."""
    first, later, both = ({"search_ms": 4}, {"latency_search_ms": 5}, {"search_ms": 4, "latency_search_ms": 5})
    for suffix, write in (("jsonl", as_lines), ("parquet", as_parquet)):
        write(tmp_path / f"log.{suffix}", [first, later, {"search_ms": 3, "latency_search_ms": 3}])
        assert [event["stage_ms"] for event in found_in(tmp_path / f"log.{suffix}").events] == [{"search": n} for n in (4, 5, 3)]
        write(tmp_path / f"log.{suffix}", [first, both])
        with pytest.raises(InputError, match="are two times of the stage search in one record"):
            found_in(tmp_path / f"log.{suffix}")


def as_lines(path: Path, rows: list[dict[str, int]]) -> None:
    path.write_text("".join(json.dumps({"event_id": f"e{n}", "ranked_ids": ["a"], **row}) + "\n" for n, row in enumerate(rows)))


def as_parquet(path: Path, rows: list[dict[str, int]]) -> None:
    pq.write_table(
        pa.Table.from_pylist(
            [
                {"event_id": f"e{n}", "ranked_ids": ["a"], "search_ms": None, "latency_search_ms": None, **row}
                for n, row in enumerate(rows)
            ]
        ),
        path,
    )


def test_counted_on_every_path(tmp_path: Path) -> None:
    """Command, store and library count them, and say so."""
    rows = [record(value) for value in ("fast", 5, 7)]
    (tmp_path / "log").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "labels").write_text('{"query": "q", "relevant": ["a"]}')
    ingest(tmp_path / "log", store=tmp_path / "store")
    for given in ({"logs": tmp_path / "log"}, {"store": tmp_path / "store"}, {"logs": rows}):
        result = evaluate(**{"logs": None, "labels": tmp_path / "labels", **given}).to_dict()
        assert {w["code"]: w["n"] for w in result["warnings"]}["events_latency_invalid"] == 1
        assert [(row["n"], row["max_ms"]) for row in result["latency"] if row["stage"] == "total"] == [(2, 7.0)]


DURATIONS = {
    unit: pa.array([2 * per_s, None], pa.duration(unit)) for unit, per_s in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9))
}


@pytest.mark.parametrize("unit", DURATIONS)
def test_durations_of_arrow(tmp_path: Path, unit: str) -> None:
    """A duration is read with its unit, whatever the column's name says of one, in Parquet, a table, a frame, by a profile."""
    ids = pa.array([["a"], ["b"]])
    table = pa.table({"query": ["q", "q"], "ranked_ids": ids, "total_ms": DURATIONS[unit], "search_s": DURATIONS[unit]})
    pq.write_table(table, tmp_path / "log.parquet")
    first, second = found_in(tmp_path / "log.parquet").events
    assert (first["total_ms"], first["stage_ms"], second["total_ms"]) == (2000.0, {"search": 2000.0}, None)
    for given in (table, pl.DataFrame(table)):
        latency = evaluate(given, [{"query": "q", "relevant": ["a"]}]).to_dict()["latency"]
        assert {(row["stage"], row["max_ms"]) for row in latency} == {("total", 2000.0), ("search", 2000.0)}
    (tmp_path / "p.toml").write_text(PROFILE.replace('"ms"}', '"s"}').replace("search_ms", "search_s"))
    first, _ = found_in(tmp_path / "log.parquet", profile=str(tmp_path / "p.toml")).events
    assert (first["total_ms"], first["stage_ms"]) == (2000.0, {"search": 2000.0})


def test_durations_of_other_writers(tmp_path: Path) -> None:
    """DuckDB's intervals, Polars' durations; whole numbers stay ms."""
    duckdb.sql(f"copy (select ['a'] as ranked_ids, interval 1500 milliseconds as total_ms) to '{tmp_path}/i.parquet'")
    pl.DataFrame({"ranked_ids": [["a"]], "total_ms": [dt.timedelta(milliseconds=1500)]}).write_parquet(tmp_path / "p.parquet")
    pq.write_table(pa.table({"ranked_ids": [["a"]], "total_ms": [1500]}), tmp_path / "n.parquet")
    for name in "ipn":
        assert [event["total_ms"] for event in found_in(tmp_path / f"{name}.parquet").events] == [1500.0]


def test_durations_that_are_refused(tmp_path: Path) -> None:
    """Two units under one name, and durations inside of another column: refused, never mixed."""
    for name, array in (("a", DURATIONS["s"]), ("b", DURATIONS["ms"])):
        pq.write_table(pa.table({"ranked_ids": [["a"], ["b"]], "total_ms": array}), tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=r"'total_ms' is not the same in each file \(ms and s\)"):
        found_in(tmp_path / "a.parquet", tmp_path / "b.parquet")
    nested = pa.array([{"search": dt.timedelta(seconds=1)}], pa.struct([("search", pa.duration("us"))]))
    pq.write_table(pa.table({"ranked_ids": [["a"]], "stage_ms": nested}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"'stage_ms' holds durations \(saw struct<search: duration\[us\]>\)"):
        found_in(tmp_path / "c.parquet")
