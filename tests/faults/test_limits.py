"""Few bad lines, few events without a time, a log replaced under its name: the same rule in a store as without one, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import run

import recallwatch
from recallwatch import InputError
from recallwatch.store import ingest

from .conftest import event, write


@pytest.mark.parametrize(("bad", "is_refused"), [(1, False), (4, True)])
def test_bad_lines_are_counted_over_all_logs(world: Path, bad: int, is_refused: bool) -> None:
    """1 % of all lines that are named together, whichever file they are in: one-shot and store take or refuse the same, in the same words."""
    lines: list[Any] = ['{"query_id": "q1", "ran'] * bad
    write(world / "logs" / "2.jsonl", [*lines, *(event(n, 2) for n in range(60 - bad))])
    for more in ({}, {"store": world / "store"}):
        if is_refused:
            with pytest.raises(InputError, match=r"2.jsonl:1: malformed JSON.*4 of 180 records \(2.2 %\) rejected"):
                recallwatch.evaluate(world / "logs", world / "labels.jsonl", **more)
        else:
            assert recallwatch.evaluate(world / "logs", world / "labels.jsonl", **more).counts["rejected_lines"] == bad
    if is_refused:
        assert recallwatch.evaluate(store=world / "store", labels=world / "labels.jsonl").counts["events"] == 120


@pytest.mark.parametrize("cut", [{"window": "day"}, {"window": "week", "timezone": "America/New_York"}, {"start": "2026-03-02"}])
def test_one_event_without_a_time(world: Path, cut: dict[str, str]) -> None:
    """It is in no window, counts in what is over everything, and is counted; a store says the same, cell for cell."""
    write(world / "logs" / "4.jsonl", [event(1, 4, timestamp=None)])
    ingest(world / "logs", store=world / "store")
    one, other = (
        recallwatch.evaluate(**where, labels=world / "labels.jsonl", k="1", **cut).to_dict()
        for where in ({"logs": world / "logs"}, {"store": world / "store"})
    )
    for part in ("metrics", "latency", "cost", "counts", "warnings"):
        assert one[part] == other[part], part
    assert [row["n"] for row in one["warnings"] if row["code"] == "events_without_time"] == [1]
    assert one["counts"]["events"] == (120 if "start" in cut else 181)


def test_half_without_a_time_is_no_log_of_windows(world: Path) -> None:
    """More than one, and than the share of bad lines a log may have: refused with both numbers."""
    log = write(world / "log.jsonl", [event(n, 1, timestamp=None if n < 3 else "2026-03-01") for n in range(60)])
    with pytest.raises(InputError, match=r"3 of 60 events have no timestamp \(limit 1 %, or one\)"):
        recallwatch.evaluate(log, world / "labels.jsonl", window="day")


def test_what_leaves_with_a_replaced_log_is_told(world: Path) -> None:
    """A log rotated under one name: how many recalls are counted no longer."""
    command = ("ingest", "logs", "--store", "store")
    assert run(*command, cwd=world).returncode == 0
    write(world / "logs" / "1.jsonl", [event(n, 9) for n in range(10)])
    assert "1.jsonl no longer holds 60 recalls" in run(*command, cwd=world).stdout.replace("\n", " ")


def test_many_names_are_all_kept(world: Path) -> None:
    """Thousands of keys: each record keeps its own, in time that grows with their number."""
    rows = [event(n, 1, **{f"key{n}_{i}": i for i in range(160)}, **{"a/b~c": n}) for n in range(20)]
    log = write(world / "log.jsonl", rows)
    result = recallwatch.evaluate(log, world / "labels.jsonl", by="key3_7,a/b~c", k="1").to_dict()
    counts = {str(row["segment"]): row["n"] for row in result["cost"] if row["segment"]}
    assert counts["{'key3_7': '7'}"] == counts["{'a/b~c': '19'}"] == 1
    assert counts["{'key3_7': None}"] == 19
