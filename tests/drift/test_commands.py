"""The commands: stdout is data, the exit code is the verdict that was asked for."""

import json

import pytest
from command_line import run

from recallwatch.base.errors import InputError, UsageError
from recallwatch.monitor import accepted
from recallwatch.store import ingest

LOGS = ("sample_logs/recalls", "--labels", "sample_logs/labels.jsonl", "--threads", "1")
LOST = ("--reference", "2026-11-01..2026-11-08", "--current", "2026-11-08..2026-11-11")


def test_drift_names_the_lost_shard_of_the_sample_logs():
    """Nights 8 to 10 lack a shard: quality fails, latency does not, the index version is named; never an alarm unless asked for."""
    done = run("drift", *LOGS, *LOST, "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["verdict"] == "fail"
    assert "index v1 → v2" in result["headline"]
    failed = {f["family"] for f in result["findings"] if f["verdict"] == "fail"}
    assert "quality" in failed
    assert not failed & {"latency", "mix", "labels"}
    lost = [row["document_id"] for row in result["findings"][0]["where"] if row["kind"] == "document"]
    assert len(lost) == 10
    assert sum(int(document[1:]) % 6 == 5 for document in lost) == 9  # m096 stood beside two of them in a list that is empty now


def test_fail_on_makes_the_verdict_the_exit_code():
    """--fail-on fail exits with 4; text and a file hold the same bytes."""
    done = run("drift", *LOGS, *LOST, "--fail-on", "fail")
    assert done.returncode == 4
    assert done.stdout.startswith("FAIL  Since 2026-11-08")


def test_a_level_that_does_not_exist_is_refused():
    """A usage error is one line and exit 2, before any data is read."""
    done = run("drift", "nowhere", "--fail-on", "often")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Known: fail, warn, insufficient, never" in done.stderr


def test_the_series_of_the_sample_logs_as_markdown():
    """Night by night: 8 to 10 quality, and other answers beside it, 12 and 13 latency, the others neither."""
    done = run("drift", *LOGS, "--window", "day", "--series", "-f", "markdown")
    rows = {
        line.split("|")[1].strip()[8:10]: [cell.strip() for cell in line.split("|")[2:-1]]
        for line in done.stdout.splitlines()
        if line.startswith("| 2026-")
    }
    assert {day for day, cells in rows.items() if cells[1] == "fail"} == {"08", "09", "10"}
    assert {day for day, cells in rows.items() if cells[2] == "warn"} == {"08", "09", "10"}
    assert {day for day, cells in rows.items() if cells[3] == "fail"} == {"12", "13"}
    assert {day for day, cells in rows.items() if cells[0] == "fail"} == {"08", "09", "10", "12", "13"}


def test_compare_puts_two_index_versions_side_by_side():
    """v2 lacks a shard: it is worse, with the losers named."""
    done = run("compare", *LOGS, "--by", "index_version", "--a", "v1", "--b", "v2", "-f", "json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["verdict"]) == (0, "fail")
    assert result["metrics"][0]["losers"]


def test_accepted_windows_are_kept_and_read(tmp_path):
    """Each (window, family) once, sorted, with why; listed, taken back; an unknown folder or family, a date to come and a broken file are refused."""
    store = tmp_path / "store"
    with pytest.raises(UsageError, match="no such folder"):
        accepted.accept(store, "2026-03-02", "latency")
    store.mkdir()
    done = run("accept", str(store), "2026-03-12", "--family", "latency", "--from-here", "--reason", "new reranker")
    assert done.returncode == 0
    accepted.accept(store, "2026-03-08", timezone="Europe/Berlin")
    accepted.accept(store, "2026-03-08", timezone="Europe/Berlin")
    assert accepted.read(store) == [
        ("2026-03-07T23:00:00Z", None, False, ""),
        ("2026-03-12", "latency", True, "new reranker"),
    ]
    listed = run("accept", str(store)).stdout
    assert listed == "2026-03-07T23:00:00Z  every family\n2026-03-12  latency, a new regime: new reranker\n"
    accepted.accept(store, "2026-03-12", "latency", undo=True)
    assert len(accepted.read(store)) == 1
    for window, family, undo, words in (
        ("2026-03-12", "latency", True, "is not accepted for latency"),
        ("2026-03-12", "speed", False, "unknown family"),
        ("2199-01-01", None, False, "later than any recall"),
    ):
        with pytest.raises(UsageError, match=words):
            accepted.accept(store, window, family, undo=undo)
    (store / accepted.NAME).write_text("{")
    with pytest.raises(InputError, match="Mend or remove it"):
        accepted.read(store)


def test_a_window_far_from_any_recall_is_not_accepted(tmp_path):
    """A mistyped year is refused, on both sides of what a store holds; a decision of before can be taken back."""
    (tmp_path / "log.jsonl").write_text('{"query_id": "q", "ranked_ids": ["a"], "timestamp": "2026-11-09T10:00:00Z"}\n')
    store = tmp_path / "store"
    ingest(tmp_path / "log.jsonl", store=store)
    for window, side in (("2025-11-09", "earlier"), ("2027-11-09", "later")):
        with pytest.raises(UsageError, match=f"is {side} than any recall"):
            accepted.accept(store, window)
    accepted.accept(store, "2026-11-09")
    assert [entry.window for entry in accepted.read(store)] == ["2026-11-09"]
