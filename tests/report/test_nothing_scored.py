"""Every output of a result without a single metric row, or of one recall, is written and says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recallwatch
from recallwatch.nightly.configuration import Config
from recallwatch.nightly.steps import Timer, gather
from recallwatch.report import OUTPUTS
from recallwatch.report.files import FILES

RECALL = {
    "event_id": "e0",
    "timestamp": "2026-03-01T00:00:00Z",
    "query_id": "q1",
    "ranked_ids": ["a", "b"],
    "total_ms": 5.0,
    "variant": "v1",
}
LOGS: dict[str, list[dict[str, Any]]] = {
    "one": [RECALL],
    "failed": [{**RECALL, "status": "error", "ranked_ids": []}],
    "no_ids": [{**RECALL, "event_id": f"e{i}", "ranked_ids": [None]} for i in range(2)],
    "no_times": [{"query_id": "q1", "ranked_ids": ["a"]}],
}
LABELS = {"found": "a", "nothing_is_right": None}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each log and each label file."""
    made = tmp_path_factory.mktemp("nothing")
    for name, rows in LOGS.items():
        (made / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, document in LABELS.items():
        (made / f"labels-{name}.jsonl").write_text(json.dumps({"query_id": "q1", "document_id": document}) + "\n", encoding="utf-8")
    return made


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("labels", LABELS)
def test_every_form_of_an_evaluation_is_written(folder: Path, log: str, labels: str) -> None:
    """Text, JSON, CSV, markdown and gauges of whatever was read; where nothing could be scored, the text says so."""
    result = recallwatch.evaluate(folder / f"{log}.jsonl", folder / f"labels-{labels}.jsonl")
    written = {name: output.write(result) for name, output in OUTPUTS.items()}
    is_scored = labels == "found" and log != "no_ids"
    assert ("no quality figures" in written["text"]) is not is_scored
    assert len(json.loads(written["json"])["metrics"]) > 0 if is_scored else json.loads(written["json"])["metrics"] == []


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("window", ["day", "all"])
def test_every_output_of_a_run_is_written(folder: Path, log: str, labels: str, window: str) -> None:
    """Page, JSON, markdown, JUnit, tables and pictures: a first night may hold one recall, or none that can be scored."""
    if log == "no_times" and window == "day":
        pytest.skip("windows need times, and the run says so")
    config = Config(logs=(str(folder / f"{log}.jsonl"),), labels=(str(folder / f"labels-{labels}.jsonl"),), window=window)  # type: ignore[arg-type]  # parametrized
    night = gather(config, Timer())
    for output in FILES.values():
        assert isinstance(output.write(night), dict)
    assert {row["window"] for row in night.sides["window_shares"]} == ({"2026-03-01T00:00:00Z"} if window == "day" else set())
