"""Labels that change over time: random worlds, held by the command, a store, the library with Arrow and plain loops to the same digits.

RECALLWATCH_WORLDS says how many worlds (default 500), each a query of its own in one log.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from oracles import Event, Options, exact_mean, value
from typer.testing import CliRunner

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.cli import app

WORLDS = int(os.environ.get("RECALLWATCH_WORLDS", "500"))
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
COLUMNS = [("recall", 2), ("precision", 3), ("mrr", None), ("ndcg", 3), ("judged", 2)]
NAMES = [*(metric if k is None else f"{metric}@{k}" for metric, k in COLUMNS), "stale@2"]
IDS = [*"abcde"]

Grades = dict[str, float]


@dataclass
class Asked:
    """One query: from when on which documents are right (None = nobody says), its label rows, its recalls."""

    name: str
    periods: list[tuple[dt.datetime | None, Grades | None]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    events: list[tuple[dt.datetime | None, list[str]]] = field(default_factory=list)

    def holds(self, at: dt.datetime | None) -> int:
        """The period of a moment."""
        return max(i for i, (since, _) in enumerate(self.periods) if since is None or (at is not None and since <= at))


def written(draw: random.Random, at: dt.datetime | None) -> str | int | None:
    """A moment in any of the ways a log writes one."""
    if at is None:
        return None
    forms: list[str | int] = [
        at.isoformat(),
        at.isoformat().replace("+00:00", "Z"),
        int(at.timestamp()),
        int(at.timestamp() * 1000),
    ]
    forms.append(at.astimezone(dt.timezone(dt.timedelta(hours=5))).isoformat())
    if at.time() == dt.time():
        forms.append(at.date().isoformat())
    return draw.choice(forms)


def world(number: int) -> Asked:
    """A query whose right documents change up to four times; recalls at any time, also at the very moment of a change, or without a time."""
    draw = random.Random(number)
    made = Asked(f"w{number}")
    moments = sorted(
        {START + dt.timedelta(days=draw.randint(1, 9), seconds=draw.choice([0, 0, 3600, 12345])) for _ in range(draw.randint(0, 4))}
    )
    for since in (None, *moments):
        kind = draw.choice(["documents"] * 5 + ["nothing", "unknown"]) if moments else "documents"
        grades = {d: float(draw.choice([0, 1, 1, 2])) for d in draw.sample(IDS, draw.randint(1, 4))} if kind == "documents" else {}
        made.periods.append((since, None if kind == "unknown" else grades))
    ends = [*moments, None]
    for document in IDS:
        run: tuple[int, float] | None = None
        for i in range(len(made.periods) + 1):
            grade = (made.periods[i][1] or {}).get(document) if i < len(made.periods) else None
            if run is not None and (grade != run[1] or draw.random() < 0.3):  # rows of one document follow each other, equal or not
                times = written(draw, made.periods[run[0]][0]), written(draw, ends[i - 1])
                row = {
                    "query_id": made.name,
                    "document_id": document,
                    "grade": run[1],
                    "valid_from": times[0],
                    "valid_to": times[1],
                }
                made.rows += [{k: v for k, v in row.items() if v is not None or draw.random() < 0.5}] * draw.choice([1, 1, 2])
                run = None
            if grade is not None and run is None:
                run = (i, grade)
    for (since, grades), until in zip(made.periods, ends, strict=True):
        if grades == {}:
            made.rows.append(
                {"query_id": made.name, "relevant": [], "valid_from": written(draw, since), "valid_to": written(draw, until)}
            )
    for _ in range(draw.randint(1, 5)):
        at = draw.choice([*moments, *(START + dt.timedelta(seconds=draw.randint(0, 864000)) for _ in range(4))])
        made.events.append((at if draw.random() < 0.9 else None, draw.sample(IDS, draw.randint(0, 5))))
    return made


def values_of(asked: Asked, at: dt.datetime | None, ranked: list[str]) -> Iterator[float | None]:
    """What one recall counts as in each column: by the grades of its period alone."""
    if at is None and len(asked.periods) > 1:
        yield from [None] * len(NAMES)
        return
    now = asked.holds(at)
    grades = asked.periods[now][1]
    for metric, k in COLUMNS:
        is_counted = any(g > 0 for g in (grades or {}).values())
        yield value(metric, k, Event(list(ranked), grades or {}), Options()) if is_counted else None
    right = [{d for d, g in (then or {}).items() if g > 0} for _, then in asked.periods[: now + 1]]
    stale = set().union(*right) - right[-1]
    yield sum(d in stale for d in ranked[:2]) / len(ranked[:2]) if ranked else None


def loops(worlds: list[Asked]) -> dict[str, dict[str, float]]:
    """The mean of each query's recalls."""
    found = {}
    for one in worlds:
        columns = zip(*(values_of(one, at, ranked) for at, ranked in one.events), strict=True)
        counted = {name: [v for v in column if v is not None] for name, column in zip(NAMES, columns, strict=True)}
        found[one.name] = {name: mean for name, values in counted.items() if (mean := exact_mean(values)) is not None}
    return found


def test_one_answer(tmp_path: Path) -> None:
    """Each recall is judged by what was right at its time, in whatever way the times are written, on every path."""
    worlds = [w for w in map(world, range(WORLDS)) if w.rows]
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    events = [
        {"query_id": w.name, "ranked_ids": ranked, **({"timestamp": at.isoformat()} if at is not None else {})}
        for w in worlds
        for at, ranked in w.events
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in events))
    labels.write_text("".join(json.dumps(row) + "\n" for w in worlds for row in w.rows))
    wanted = loops(worlds)
    flags = [part for name in NAMES for part in ("-m", name)]
    done = CliRunner().invoke(app, ["evaluate", str(log), "--labels", str(labels), "--per-query", "-f", "json", *flags])
    assert done.exit_code == 0, done.output
    command = json.loads(done.stdout)
    options: dict[str, Any] = {"metrics": tuple(NAMES), "per_query": True}
    store = recallwatch.evaluate(log, labels, store=tmp_path / "store", **options).to_dict()
    for result in (command, store):
        found = {row["query_id"]: row["values"] for row in result["queries"]}
        for name, values in wanted.items():
            assert found[name] == values, name
    assert command["metrics"] == store["metrics"]

    counts = {row["code"]: row["n"] for row in command["warnings"]}
    dated = [w for w in worlds if any(row.get("valid_from") or row.get("valid_to") for row in w.rows)]
    assert counts["labels_over_time"] == len(dated)
    assert counts.get("validity_without_time", 0) == sum(at is None for w in dated for at, _ in w.events)
    outside = [w.periods[w.holds(at)][1] is None for w in dated for at, _ in w.events if at is not None]
    assert counts.get("outside_validity", 0) == sum(outside)

    # what can be reached at most is that of each recall's own labels
    best, n = 0.0, 0
    for w in worlds:
        for at, _ in w.events:
            grades = None if at is None and len(w.periods) > 1 else w.periods[w.holds(at)][1]
            right = sum(g > 0 for g in (grades or {}).values())
            best, n = best + min(right, 3) / 3, n + (right > 0)
    assert next(row["attainable"] for row in command["metrics"] if row["metric"] == "precision") == pytest.approx(
        best / n, abs=1e-12
    )


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"valid_from": "2026-02-01", "valid_to": "2026-02-01T00:00:00Z"}], ":1: valid_from and valid_to"),
        ([{}, {"valid_from": 1769904000, "valid_to": "2026-01-31"}], ":2: valid_from and valid_to"),
        ([{"valid_to": "soon"}], ":1: valid_to 'soon' is not a time"),
        ([{"grade": 1, "valid_to": "2026-02-02"}, {"grade": 0, "valid_from": "2026-02-01"}], ":2: contradicts"),
        ([{"grade": 1}, {"grade": 0, "valid_from": "2026-02-01"}], ":2: contradicts"),
    ],
)
def test_refused(tmp_path: Path, rows: list[dict[str, Any]], words: str) -> None:
    """A label that never holds, a time that is none, and two contradicting labels that hold at the same time are refused with the line."""
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    log.write_text('{"query_id": "q", "ranked_ids": ["a"], "timestamp": "2026-01-01T00:00:00Z"}\n')
    labels.write_text("".join(json.dumps({"query_id": "q", "document_id": "a", **row}) + "\n" for row in rows))
    with pytest.raises(InputError, match=words):
        recallwatch.evaluate(log, labels)


def test_without_end(tmp_path: Path) -> None:
    """A validity that is empty, or that ends after any event, is without end; rows of one document may follow each other."""
    labels = tmp_path / "labels.jsonl"
    rows = [
        {"grade": 1, "valid_from": "0001-01-01", "valid_to": "2026-02-01"},
        {"grade": 0, "valid_from": "2026-02-01", "valid_to": ""},
        {"document_id": "b", "valid_from": None, "valid_to": "9999-12-31T23:59:59Z"},
    ]
    labels.write_text("".join(json.dumps({"query_id": "q", "document_id": "a", **row}) + "\n" for row in rows))
    events = [{"query_id": "q", "ranked_ids": ["a", "b"], "timestamp": f"2026-0{month}-01T00:00:00Z"} for month in (1, 2)]
    result = recallwatch.evaluate(
        pa.Table.from_pylist(events), labels, metrics=("precision@1", "precision@2"), window="month"
    ).to_dict()
    found = [row["value"] for row in result["metrics"] if row["window"]]
    assert found == [1.0, 1.0, 0.0, 0.5]
