"""Hands the simulated windows of a drift yardstick to the product: Parquet in, flagged families out."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path
from typing import Any

import recallwatch
from recallwatch.base.verdicts import CERTAIN, headlines
from recallwatch.monitor.drift import drift

FIRST = dt.date(1970, 1, 1) + dt.timedelta(days=20_000)  # the simulator's first day


def detect_paths(reference: str, current: str, labels: str) -> set[str]:
    """One reference day against one current day, through the library's own entry (``bench-parquet``)."""
    return flagged(drift([reference, current], labels, reference=span(0, 1), current=span(1, 2), threads=1))


def detect_history(references: Any, current: Any, world: Any) -> set[str]:
    """Windows as arrays: written as Parquet by the simulator's own writer, then the same entry (``bench-history``, ``scale``, ``small``)."""
    from drift_sim import write_labels, write_window

    windows = [*references, current] if isinstance(references, list) else [references, current]
    with tempfile.TemporaryDirectory() as folder:
        for window in windows:
            write_window(window, world, f"{folder}/day{window.day}.parquet", seed=world.seed)
        write_labels(world, f"{folder}/labels.parquet")
        logs = sorted(map(str, Path(folder).glob("day*.parquet")))
        last = len(windows) - 1
        return flagged(drift(logs, f"{folder}/labels.parquet", reference=span(0, last), current=span(last, last + 1), threads=1))


def span(first: int, last: int) -> str:
    """Days of the simulator as A..B."""
    return "..".join(str(FIRST + dt.timedelta(days=day)) for day in (first, last))


def flagged(result: recallwatch.Drift) -> set[str]:
    """Families with a finding that fails or improves, and ``insufficient`` where a headline test is."""
    families = {found.family for found in result.findings if found.verdict in CERTAIN}
    if any(row["verdict"] == "insufficient" for row in headlines([found.to_row() for found in result.findings])):
        families.add("insufficient")
    return families
