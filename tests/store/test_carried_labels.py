"""A store keeps the labels that its logs carry: each night's, until somebody names others."""

import json
from pathlib import Path
from typing import Any

import pytest

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.store import ingest

OPTIONS: dict[str, Any] = {"metrics": "recall", "k": "1,2", "threads": 1}


def night(folder: Path, number: int, **more: Any) -> None:
    """A log of three queries of its own, which says beside each recall what was right."""
    folder.mkdir(exist_ok=True)
    rows = [
        {
            "event_id": f"e{number}-{n}",
            "timestamp": f"2026-03-0{number}T0{n}:00:00Z",
            "query_id": f"q{number}-{n % 3}",
            "ranked_ids": ["a", "b"][: 1 + n % 2],
            "relevant": ["b"],
            **more,
        }
        for n in range(6)
    ]
    (folder / f"{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def told(result: Any) -> dict[str, Any]:
    """The result without what says where it was read."""
    found: dict[str, Any] = result.to_dict()
    del found["read"]
    return found


def test_labels_that_logs_carry_are_kept(tmp_path: Path) -> None:
    """Evaluate, drift and the next night find them, and say what the logs say; so after the logs are gone."""
    logs, store = tmp_path / "logs", tmp_path / "store"
    for number in (1, 2):
        night(logs, number)
        ingest(logs, store=store)
        assert told(recallwatch.evaluate(store=store, **OPTIONS)) == told(recallwatch.evaluate(logs, **OPTIONS))
        assert told(recallwatch.evaluate(store, **OPTIONS)) == told(recallwatch.evaluate(logs, **OPTIONS))
    expected = recallwatch.drift(logs, window="day", incomplete=True).to_dict()
    for path in logs.iterdir():
        path.unlink()
    assert json.dumps(recallwatch.drift(store, window="day", incomplete=True).to_dict()) == json.dumps(expected)


def test_labels_that_are_named_hold_from_then_on(tmp_path: Path) -> None:
    """Named labels are the store's version, whatever its logs carry."""
    logs, store, labels = tmp_path / "logs", tmp_path / "store", tmp_path / "labels.jsonl"
    night(logs, 1)
    labels.write_text(json.dumps({"query_id": "q1-0", "relevant": ["a"]}) + "\n")
    result = recallwatch.evaluate(logs, labels, store=store, **OPTIONS)
    assert result.counts["labelled_queries"] == 1
    assert recallwatch.evaluate(store=store, **OPTIONS).counts["labelled_queries"] == 1


def test_carried_labels_out_of_contract_stop_nothing_but_themselves(tmp_path: Path) -> None:
    """The recalls are ingested; who names no labels is told which line is wrong."""
    logs, store = tmp_path / "logs", tmp_path / "store"
    night(logs, 1, relevant=[1, {"id": 2}], expected_texts={"x": {"y": 1}}, grades={"a": "high"})
    ingest(logs, store=store)
    labels = [{"query_id": "q1-0", "relevant": ["a"]}]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    try:
        recallwatch.evaluate(logs, **OPTIONS)
    except InputError as error:
        with pytest.raises(InputError, match="labels that a log carries cannot be read"):
            recallwatch.evaluate(store=store, **OPTIONS)
        assert error.exit_code == 3
    assert recallwatch.evaluate(store=store, labels=tmp_path / "labels.jsonl", **OPTIONS).counts["labelled_events"] == 2
