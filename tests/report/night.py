"""Nights to test outputs with: one small hostile world, computed once, without a log file of its own."""

from __future__ import annotations

import datetime as dt
import functools
import json
from pathlib import Path
from typing import Any

from recallwatch.nightly.configuration import Config, Gates, GateTable, Outputs
from recallwatch.nightly.steps import Timer, gather
from recallwatch.report.night import Night

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</style><img src=x onerror='window.hacked = 2'>",
    "quotes \" ' ` and | pipes || and \\ backslashes",
    "line one\nline two\r\n# heading\n| a | b |",
    "\u202eright to left\u202c and \u2066isolated",
    "emoji 🐘🏳️‍🌈 and null \x00 and bell \x07",
    "x" * 10_000,
    "{{ 7 * 7 }} {% raw %} ${alert(1)} ]]> <!-- -->",
    "</script><script>window.hacked = 3</script>",
    "javascript:alert(1)",
)


def write_world(
    folder: Path, *, nights: int = 9, texts: tuple[str, ...] = HOSTILE, queries: int = 30, broken_from: int = 8, classes: int = 3
) -> None:
    """Logs of some nights, each query asked twice a night; from ``broken_from`` on every third query loses its document."""
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    names = [f"q{i}|{texts[i % len(texts)][:40]}" for i in range(queries)]
    labels = [
        {
            "query_id": name,
            "query": texts[i % len(texts)],
            "query_class": f"class {i % classes} <b>",
            "relevant": {f"d{i}|<i>\n": 1},
        }
        for i, name in enumerate(names)
    ]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), encoding="utf-8")
    for night in range(nights):
        start = dt.datetime(2026, 3, 1, tzinfo=dt.UTC) + dt.timedelta(days=night)
        rows = [
            _event(night, start, i, name, texts, queries, is_broken=night >= broken_from - 1) for i, name in enumerate(names * 8)
        ]
        path = folder / "logs" / f"{start:%Y-%m-%d}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _event(
    night: int, start: dt.datetime, i: int, name: str, texts: tuple[str, ...], queries: int, *, is_broken: bool
) -> dict[str, Any]:
    query = i % queries
    is_lost = is_broken and query % 3 == 0
    found = [f"other{j}" for j in range(4)] if is_lost else [f"d{query}|<i>\n", "other1"]
    return {
        "event_id": f"{night}-{i}",
        "timestamp": (start + dt.timedelta(minutes=5 * i)).isoformat(),
        "trace_id": f"{night:08x}{i:024x}",
        "query_id": name,
        "query_text": texts[query % len(texts)],
        "index_version": "v2<b>" if is_broken else "v1",
        "ranked_ids": found,
        "stage_ms": {"search": 5 + (i * 7 % 11) / 10, "rerank <i>": 2 + (i * 5 % 7) / 10},
        "total_ms": 8 + (i * 3 % 13) / 10,
    }


def config_of(folder: Path, **more: Any) -> Config:
    """A configuration for such a world."""
    gates = Gates(
        limits={
            "recall@10": ">= 0.90",
            "recall@10[query_class=*]": ">= baseline - 0.02",
            "p95:search": "< 250ms",
            "error_share": "< 0.01",
            "p95:total": GateTable(limit="< 1ms", min_n=1_000_000),  # never enough to judge
        }
    )
    chosen: dict[str, Any] = {
        "gates": gates,
        "read": {"threads": 2},
        "outputs": Outputs(folder=str(folder / "out"), trace_url="https://traces.example/t/{trace_id}"),
        **more,
    }
    return Config(logs=(str(folder / "logs"),), labels=(str(folder / "labels.jsonl"),), **chosen)


@functools.cache
def hostile_night(folder: Path) -> Night:
    """Nine nights of hostile texts, the last two broken."""
    write_world(folder)
    return gather(config_of(folder), Timer())
