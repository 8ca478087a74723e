"""The same inputs give the same bytes, however rows, files, threads and the machine's zone are arranged."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch

ASKED: dict[str, Any] = {"by": ("query_class", "arm"), "window": "day", "timezone": "Europe/Berlin", "per_query": True, "k": "1,5"}
LOG = pa.schema(
    [
        ("event_id", pa.string()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("query_id", pa.string()),
        ("query_class", pa.string()),
        ("arm", pa.string()),
        ("ranked_ids", pa.list_(pa.string())),
        ("scores", pa.list_(pa.float64())),
        ("stage_ms", pa.map_(pa.string(), pa.float64())),
        ("total_ms", pa.float64()),
        ("cost_usd", pa.float64()),
        ("cache_hit", pa.bool_()),
        ("status", pa.string()),
        ("user", pa.string()),
    ]
)


def event(number: int, random: random.Random) -> dict[str, Any]:
    """One recall of about 300 over the nights around the end of summer time, with values whose sums depend on order."""
    ranked = [random.choice([f"d{n}" for n in range(30)] + [None]) for _ in range(random.randint(0, 8))]
    return {
        "event_id": f"e{number}",
        "timestamp": dt.datetime(2026, 10, 24, 20, tzinfo=dt.UTC) + dt.timedelta(seconds=random.randint(0, 200_000)),
        "query_id": f"q{random.randint(0, 24)}",
        "query_class": random.choice(["lookup", "multi_hop", None]),
        "arm": random.choice(["bm25", "vector"]),
        "ranked_ids": ranked,
        "scores": [random.choice([0.1, 0.7, 1 / 3, None]) for _ in ranked],
        "stage_ms": [("search", random.lognormvariate(3, 1)), ("rerank", random.choice([0.1, 0.2, 12.5]))][: random.randint(0, 2)],
        "total_ms": random.choice([None, random.lognormvariate(4, 1)]),
        "cost_usd": random.choice([None, 0.1, 1e-7, 3e5]),
        "cache_hit": random.choice([None, True, False]),
        "status": random.choice(["ok"] * 9 + ["error"]),
        "user": random.choice(["ann", "bob"]),
    }


def log() -> list[dict[str, Any]]:
    """Events, and 40 deliveries more of events already there: some alike, some with another content."""
    rng = random.Random(7)
    events = [event(number, rng) for number in range(300)]
    again = [dict(rng.choice(events)) for _ in range(40)]
    for number, row in enumerate(again):
        if number % 4 == 1:
            row["total_ms"] = 5.0 * number
        if number % 4 == 2:
            row["cost_usd"] = 1.0 * number
        if number % 4 == 3:
            row["user"], row["arm"] = f"user {number}", "vector"
    return events + again


def labels() -> list[dict[str, Any]]:
    rng = random.Random(11)
    return [
        {"query_id": f"q{q}", "document_id": f"d{d}", "grade": rng.choice([0.0, 1.0, 1 / 3, 2.0]), "query_class": "lookup"}
        for q in range(22)
        for d in sorted(rng.sample(range(35), rng.randint(1, 5)))
    ]


def write(rows: list[dict[str, Any]], folder: Path, *, files: int = 1, group: int = 1000) -> Path:
    """The rows as so many Parquet files."""
    folder.mkdir()
    for number in range(files):
        part = pa.Table.from_pylist(rows[number::files], LOG)
        pq.write_table(part, folder / f"part-{number:02}.parquet", row_group_size=group)
    return folder


def write_labels(rows: list[dict[str, Any]], path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def text_of(logs: Path, given: Path, **options: Any) -> str:
    """The JSON, without the number of files, which is no result."""
    result = recallwatch.evaluate(logs, given, **{**ASKED, **options}).to_dict()
    del result["read"]["formats"]
    return json.dumps(result)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """One file in the order written, one thread: what the others are compared with."""
    folder = tmp_path_factory.mktemp("bytes")
    logs, given = write(log(), folder / "logs"), write_labels(labels(), folder / "labels.jsonl")
    return logs, given, text_of(logs, given, threads=1)


def shuffled(rows: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    return random.Random(seed).sample(rows, len(rows))


@pytest.mark.parametrize(("seed", "files", "group", "threads"), [(1, 1, 1000, 2), (2, 40, 1000, 2), (3, 3, 7, 1)])
def test_rows_files_groups_threads(
    first: tuple[Path, Path, str], tmp_path: Path, seed: int, files: int, group: int, threads: int
) -> None:
    """Row order, file split, row groups and threads change no byte, duplicate deliveries inside."""
    logs = write(shuffled(log(), seed), tmp_path / "logs", files=files, group=group)
    given = write_labels(shuffled(labels(), seed), tmp_path / "labels.jsonl")
    assert text_of(logs, given, threads=threads) == first[2]


def test_the_machines_zone(first: tuple[Path, Path, str]) -> None:
    """TZ of the machine changes no byte."""
    program = (
        "import json, sys, recallwatch\n"
        "result = recallwatch.evaluate(sys.argv[1], sys.argv[2], threads=2, **json.loads(sys.argv[3])).to_dict()\n"
        "del result['read']['formats']\n"
        "sys.stdout.write(json.dumps(result))\n"
    )
    command = [sys.executable, "-W", "error", "-c", program, str(first[0]), str(first[1]), json.dumps(ASKED)]
    done = subprocess.run(command, env={**os.environ, "TZ": "America/New_York"}, capture_output=True, text=True, check=True)
    assert done.stdout == first[2]


def test_json_lines_with_rejects(first: tuple[Path, Path, str], tmp_path: Path) -> None:
    """JSON lines, bad ones among them, in any order and split: the same bytes but for the examples, which name files."""

    def text(rows: list[str], folder: Path, files: int) -> str:
        folder.mkdir()
        for number in range(files):
            (folder / f"part-{number:02}.jsonl").write_text("".join(row + "\n" for row in rows[number::files]))
        result = recallwatch.evaluate(folder, first[1], max_rejects=0.5, **ASKED).to_dict()
        del result["read"]["formats"]
        for warning in result["warnings"]:
            warning.pop("examples")
        return json.dumps(result)

    rows = [json.dumps({**row, "stage_ms": dict(row["stage_ms"])}, default=str) for row in log()] + [
        "{bad",
        "INFO start",
        '{"query_id": "q1"}',
    ]
    assert text(rows, tmp_path / "a", 1) == text(random.Random(5).sample(rows, len(rows)), tmp_path / "b", 40)


def test_windows_and_segments_add_up(first: tuple[Path, Path, str]) -> None:
    """Counts and sums of the windows, and of the segments of each grouping, add up to the whole."""
    result = json.loads(first[2])

    def total(rows: list[dict[str, Any]], **same: Any) -> dict[tuple[bool, tuple[str, ...]], tuple[int, float]]:
        sums: dict[tuple[bool, tuple[str, ...]], list[tuple[int, float]]] = {}
        for row in rows:
            if all(row[name] == value for name, value in same.items()):
                amount = row["n"] * (row["value"] if "value" in row else row["mean_ms"])
                sums.setdefault((row["window"] is None, tuple(sorted(row["segment"]))), []).append((row["n"], amount))
        return {level: (sum(n for n, _ in parts), sum(amount for _, amount in parts)) for level, parts in sums.items()}

    wholes = [row for row in result["metrics"] if row["window"] is None and not row["segment"]]
    for whole in wholes:
        levels = total(result["metrics"], metric=whole["metric"], k=whole["k"])
        assert set(levels) == {(whole_log, by) for whole_log in (True, False) for by in ((), ("query_class",), ("arm",))}
        for n, amount in levels.values():
            assert n == whole["n"]
            assert amount == pytest.approx(whole["n"] * whole["value"], rel=1e-9, abs=1e-9)
    for stage in ("total", "search", "rerank"):
        levels = total(result["latency"], stage=stage, cache="all")
        assert len({n for n, _ in levels.values()}) == 1
        assert len({round(amount, 4) for _, amount in levels.values()}) == 1
    assert result["counts"]["duplicate_events"] == 40
    nights = {row["window"] for row in result["metrics"]} - {None}
    assert "2026-10-24T22:00:00Z" in nights  # Berlin's day of 25 hours begins in summer time
    assert "2026-10-25T23:00:00Z" in nights  # and the next one in winter time
