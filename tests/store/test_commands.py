"""The store's commands: what they print, and the status they end with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run
from store_logs import events, label_rows, write


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was ingested and scored by the commands."""
    folder = tmp_path_factory.mktemp("commands")
    write(events(60), folder / "logs" / "a.jsonl")
    write(events(60)[:10], folder / "logs" / "b.jsonl")
    labels = write(label_rows(), folder / "labels.jsonl")
    done = run("ingest", folder / "logs", "--store", folder / "store")
    assert (done.returncode, done.stdout) == (0, "2 new, 0 unchanged · 70 events and 0 rejects read\n"), done.stderr
    again = run("ingest", folder / "logs", "--store", folder / "store", "-f", "json")
    assert len(json.loads(again.stdout)["unchanged"]) == 2
    scored = run("evaluate", "--store", folder / "store", "--labels", labels, "-f", "json")
    assert json.loads(scored.stdout)["counts"]["events"] == 60
    return folder / "store"


def test_sql_in_three_forms(store: Path) -> None:
    """Text for people, CSV and JSON for programs, of the same rows."""
    query = "select event_id, day_utc, cache_hit from events order by event_id limit 2"
    text, csv, found = (run("sql", store, query, "-f", form).stdout for form in ("text", "csv", "json"))
    assert text.splitlines()[0].split() == ["event_id", "day_utc", "cache_hit"]
    assert csv.splitlines()[0] == "event_id,day_utc,cache_hit"
    rows = json.loads(found)
    assert [row["event_id"] for row in rows] == ["e0", "e1"]
    assert csv.splitlines()[1] == f"e0,{rows[0]['day_utc']},{json.dumps(rows[0]['cache_hit'])}"


def test_sql_that_cannot_be_run(store: Path) -> None:
    """Exit 2 and one line for a wrong query or form; nothing can be written."""
    for query, word in (("select nothing from events", "nothing"), ("create table recall.x (a int)", "read-only")):
        done = run("sql", store, query)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), query
        assert word in done.stderr
    assert "Known: text, csv, json" in run("sql", store, "select 1", "-f", "xml").stderr


def test_new_labels_stand_beside_the_old(store: Path, tmp_path: Path) -> None:
    """The text shows old, new and difference; JSON has them under `relabelled`; scored again with the same there is none."""
    new = write(label_rows(seed=4), tmp_path / "new.jsonl")
    shown = run("evaluate", "--store", store, "--labels", new).stdout
    assert "the events are the same, the difference is the labels'" in shown
    assert "Labels changed" not in run("evaluate", "--store", store, "--labels", new).stdout


def test_looking_after_it(store: Path) -> None:
    """info is JSON; gc removes what nothing names; verify ends with 3 where a file is not as it was committed."""
    told = json.loads(run("store", "info", store).stdout)
    assert (told["sources"], told["events"], told["format"]) == (2, 70, 1)
    stray = store / "events" / "stray-123.parquet"
    stray.write_bytes(b"half")
    assert run("store", "gc", store).returncode == 0
    assert not stray.exists()
    assert (run("store", "verify", store).returncode, run("attach", store).returncode) == (0, 0)
    part = next((store / "events").iterdir())
    data = part.read_bytes()
    part.write_bytes(data[:-1] + b"x")
    try:
        done = run("store", "verify", store)
        assert done.returncode == 3
        assert part.name in done.stdout
    finally:
        part.write_bytes(data)


def test_usage(store: Path, tmp_path: Path) -> None:
    """Neither logs nor a store, or no store there: one line that says what to do; without labels so far, all but quality is told."""
    assert "no logs named" in run("evaluate", "--labels", tmp_path / "x").stderr
    assert "recallwatch ingest LOGS" in run("sql", tmp_path, "select 1").stderr
    run("ingest", write(events(5), tmp_path / "a.jsonl"), "--store", tmp_path / "new")
    done = run("evaluate", "--store", tmp_path / "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no labels: quality is not measured" in done.stdout
