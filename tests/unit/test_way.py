"""The way down through the house is straight: on the way of a call no room is entered a second time."""

from __future__ import annotations

import json
from pathlib import Path

import house
import pytest
from typer.testing import CliRunner

import recallwatch
from recallwatch.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three days of 40 recalls, a store of them, and the file of a nightly run."""
    place = tmp_path_factory.mktemp("way")
    rows = [
        {
            "query_id": f"q{i % 8}",
            "query_text": f"where is {i % 8}",
            "ranked_ids": ["a", "b"],
            "candidate_ids": ["b", "a", "c"],
            "total_ms": 5,
            "variant": "ab"[i % 2],
            "timestamp": f"2026-03-0{day}T{i % 24:02d}:00:00Z",
        }
        for day in (1, 2, 3)
        for i in range(40)
    ]
    (place / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (place / "labels.jsonl").write_text("".join(json.dumps({"query_id": f"q{i}", "relevant": ["a"]}) + "\n" for i in range(8)))
    (place / "run.toml").write_text('logs = "log.jsonl"\nlabels = "labels.jsonl"\nstore = "night"\nmax_age = "never"\n')
    recallwatch.evaluate(place / "log.jsonl", place / "labels.jsonl", store=place / "store", threads=1)
    return place


COMMANDS = [
    pytest.param("evaluate log.jsonl --labels labels.jsonl", id="evaluate"),
    pytest.param("drift store --window day --series --incomplete", id="drift of a store", marks=pytest.mark.wide),
    pytest.param("run -q run.toml", id="run", marks=pytest.mark.wide),
    pytest.param("explain q1 store", id="explain", marks=pytest.mark.wide),
    pytest.param("compare store --by variant --a a --b b", id="compare", marks=pytest.mark.wide),
    pytest.param("lift store", id="lift", marks=pytest.mark.wide),
    pytest.param("suggest-labels store", id="suggest-labels", marks=pytest.mark.wide),
    pytest.param("pareto log.jsonl --labels labels.jsonl --by variant", id="pareto", marks=pytest.mark.wide),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_room_is_entered_twice_on_the_way_down(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the command to the last call: a room that was left is not entered again further down."""
    monkeypatch.chdir(folder)
    results = []
    assert house.twice(lambda: results.append(CliRunner().invoke(app, command.split(), catch_exceptions=False))) == []
    assert results[0].exit_code == 0, results[0].output


def test_it_is_seen_where_a_room_is_entered_twice() -> None:
    """An evaluation that begins another one from within."""
    data = [{"query_id": "q", "ranked_ids": ["a"]}], [{"query_id": "q", "relevant": ["a"]}]
    inner = house.twice(lambda: recallwatch.evaluate(*data, threads=1, then=lambda _: recallwatch.evaluate(*data, threads=1)))
    assert ("evaluation", "scoring", "evaluation") in inner
