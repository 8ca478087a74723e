"""A path or an id rule that gives no record of a log anything is refused, wherever the log is scored; one file alone may lack it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recallwatch
from recallwatch import InputError
from recallwatch.store import ingest

PATH = r"^--map query_id=req\.nope: no record of the log has a value there \(expected: the query_id of at least one\)\. Mend"
LABELS = [{"query_id": "q1", "relevant": ["D1"]}, {"query_id": "q2", "relevant": ["D2"]}]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two recalls, the query's id one level down."""
    rows = [
        {"timestamp": "2026-11-01T00:00:00Z", "req": {"id": f"q{n}"}, "query": f"what is {n}?", "ranked_ids": [f"D{n}"]}
        for n in (1, 2)
    ]
    return write(tmp_path / "log.jsonl", rows)


def profile(folder: Path, rules: str) -> str:
    (folder / "p.toml").write_text(f'[events]\nranked_ids = "ranked_ids"\nquery_id = "req.id"\n{rules}')
    return str(folder / "p.toml")


def test_path_that_no_record_has(log: Path, tmp_path: Path) -> None:
    """The same refusal from logs, into a store, of a store."""
    labels = write(tmp_path / "labels.jsonl", [{**row, "query_text": f"what is {n}?"} for n, row in enumerate(LABELS, 1)])
    bad = {"mapped": {"query_id": "req.nope"}}
    with pytest.raises(InputError, match=PATH):
        recallwatch.evaluate(log, labels, **bad)
    with pytest.raises(InputError, match=PATH):
        ingest(log, store=tmp_path / "store", **bad)
    with pytest.raises(InputError, match=PATH):
        recallwatch.evaluate(log, labels, store=tmp_path / "store", **bad)
    windows: dict[str, Any] = {"reference": "2026-11-01..2026-11-02", "current": "2026-11-02..2026-11-03"}
    with pytest.raises(InputError, match=PATH):
        recallwatch.drift(tmp_path / "store", labels, **windows, **bad)
    ingest(log, store=tmp_path / "store", mapped={"query_id": "req.id"})
    recalls = recallwatch.evaluate(None, labels, store=tmp_path / "store").to_dict()["metrics"]
    assert recalls[0]["value"] == 1.0


def test_a_day_without_it(log: Path, tmp_path: Path) -> None:
    """A file whose records lack the value is read beside one whose records have it, by itself too once the store has some."""
    write(tmp_path / "later.jsonl", [{"req": {}, "query": "?", "ranked_ids": ["D1"]}])
    options: dict[str, Any] = {"mapped": {"query_id": "req.id"}}
    assert ingest(log, store=tmp_path / "store", **options).n_events == 2
    assert ingest(tmp_path / "later.jsonl", store=tmp_path / "store", **options).n_events == 1
    counts = recallwatch.evaluate([log, tmp_path / "later.jsonl"], write(tmp_path / "l.jsonl", LABELS), **options).to_dict()[
        "counts"
    ]
    assert counts["events"] == 3 and counts["labelled_events"] == 2


@pytest.mark.parametrize(
    "rule",
    [
        "match = '^X'\nreplace = 'x'\nunmatched = 'drop'",
        "match = '(.*)'\nreplace = ''",
        "strip_prefix = 'D1'\n[[ids.{0}]]\nstrip_prefix = 'D2'",
    ],
)
@pytest.mark.parametrize("side", ["events", "labels"])
def test_rules_that_leave_no_id(log: Path, tmp_path: Path, side: str, rule: str) -> None:
    """An id that a rule empties is dropped, not an id of its own; where every id is, the rules are named."""
    by = profile(tmp_path, f"[[ids.{side}]]\n{rule.format(side)}\n")
    with pytest.raises(InputError, match=rf"^\[\[ids\.{side}\]\]: the rules leave no id of any (record|label) \("):
        recallwatch.evaluate(log, write(tmp_path / "labels.jsonl", LABELS), profile=by)


def test_labels_of_the_log(tmp_path: Path) -> None:
    """The same of labels that the log carries."""
    rows = [{"req": {"id": "q1"}, "ranked_ids": ["D1"], "gold": ["D1"]}]
    by = profile(tmp_path, '[labels]\nrelevant = "gold"\n[[ids.labels]]\nmatch = "^X"\nreplace = "x"\nunmatched = "drop"\n')
    with pytest.raises(InputError, match=r"^\[\[ids\.labels\]\]: the rules leave no id of any label \(saw 1 ids, the first 'D1'\)"):
        recallwatch.evaluate(write(tmp_path / "log.jsonl", rows), profile=by)
