"""Hosts that record: small programs and their events as `recallwatch convert` reads them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from recallwatch.export.parquet import convert

LINEAGE = ("source", "source_line", "attributes")  # where a record stood; a span has its resource's attributes too


def events_of(logs: Path, folder: Path, **options: Any) -> list[dict[str, Any]]:
    """The events of a log by event_id, in the columns of the contract."""
    out = folder / "events.parquet"
    convert([logs], out, **options)
    return sorted(pq.read_table(out).to_pylist(), key=lambda row: row["event_id"])


def bare(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without what tells where they came from; stages in the order of their names."""
    return [{k: sorted(v) if k == "stage_ms" and v else v for k, v in event.items() if k not in LINEAGE} for event in events]


def lines_in(folder: Path) -> list[dict[str, Any]]:
    """Every whole line of every file the recorder wrote."""
    found = []
    for path in sorted(folder.glob("recalls-*")):
        found += [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return found


def run(program: str, *arguments: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """A program in a Python of its own."""
    command = [sys.executable, "-W", "error", "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
