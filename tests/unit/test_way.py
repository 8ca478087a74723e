"""The way down through the house is straight: on the way of a call no room is entered a second time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from typer.testing import CliRunner

import recallwatch
from recallwatch.cli import app

HOUSE = str(Path(recallwatch.__file__).parent) + "/"
TOOLS = ("base",)  # every room uses them
DOOR = "wrapped"  # a decorator's function stands before the one it wraps


def room(frame: FrameType) -> str | None:
    """The room a frame works in; None = outside, a tool or a door."""
    path = frame.f_code.co_filename
    if not path.startswith(HOUSE) or frame.f_code.co_name == DOOR:
        return None
    name, inside, _ = path.removeprefix(HOUSE).partition("/")
    return name if inside and name not in TOOLS else None


def way(frame: FrameType | None) -> tuple[str, ...]:
    """The rooms of a call stack from the top down, each once for as long as the call stays in it."""
    rooms: list[str] = []
    while frame is not None:
        if (name := room(frame)) and rooms[-1:] != [name]:
            rooms.append(name)
        frame = frame.f_back
    return tuple(reversed(rooms))


def ways(work: Callable[[], Any]) -> set[tuple[str, ...]]:
    """Every way that some work takes."""
    taken = set()

    def look(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and room(frame):
            taken.add(way(frame))

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return taken


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
    taken = ways(lambda: results.append(CliRunner().invoke(app, command.split(), catch_exceptions=False)))
    assert results[0].exit_code == 0, results[0].output
    assert ("commands",) in {one[:1] for one in taken}
    assert sorted(one for one in taken if len(set(one)) < len(one)) == []
