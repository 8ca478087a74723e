"""Small logs whose every event is known, and labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def event(number: int, day: int, **more: Any) -> dict[str, Any]:
    """One recall."""
    return {
        "event_id": f"e{day}-{number}",
        "query_id": f"q{number % 4}",
        "timestamp": f"2026-03-{day:02}T{number % 24:02}:00:00Z",
        "ranked_ids": [f"d{number % 5}", "d1"],
        "total_ms": 5 + number,
        **more,
    }


def write(path: Path, rows: list[Any]) -> Path:
    """JSON lines; a text is a line as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with three nights of logs, labels, and a configuration."""
    for day in (1, 2, 3):
        write(tmp_path / "logs" / f"{day}.jsonl", [event(n, day) for n in range(60)])
    write(tmp_path / "labels.jsonl", [{"query_id": f"q{q}", "relevant": [f"d{q}", "d1"]} for q in range(4)])
    (tmp_path / "nightly.toml").write_text(
        'logs = ["logs"]\nlabels = ["labels.jsonl"]\nstore = "store"\nmax_age = "never"\n[outputs]\nwrite = ["json", "junit"]\n'
    )
    return tmp_path
