"""Small seeded logs and labels for the tests of the store."""

from __future__ import annotations

import datetime as dt
import json
import random
from pathlib import Path
from typing import Any


def event(number: int, rng: random.Random) -> dict[str, Any]:
    """One recall of some three nights; times that no float adds up exactly."""
    ranked = [f"d{rng.randint(0, 30)}" for _ in range(rng.randint(0, 6))]
    at = dt.datetime(2026, 3, 1, 20, tzinfo=dt.UTC) + dt.timedelta(seconds=rng.randint(0, 200_000))
    return {
        "event_id": f"e{number}",
        "timestamp": at.isoformat(),
        "query_id": f"q{rng.randint(0, 14)}",
        "tenant_id": rng.choice(["acme", "bolt"]),
        "ranked_ids": ranked,
        "stage_ms": {"search": rng.lognormvariate(3, 1), "rerank": rng.choice([0.1, 0.2])},
        "total_ms": rng.lognormvariate(4, 1),
        "cost_usd": rng.choice([0.1, 1e-7]),
        "cache_hit": rng.choice([True, False]),
        "status": rng.choice(["ok"] * 9 + ["error"]),
    }


def events(n: int, seed: int = 1) -> list[dict[str, Any]]:
    """So many events."""
    rng = random.Random(seed)
    return [event(number, rng) for number in range(n)]


def write(rows: list[dict[str, Any]], path: Path) -> Path:
    """Rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def label_rows(seed: int = 2) -> list[dict[str, Any]]:
    """Labels of twelve queries."""
    rng = random.Random(seed)
    return [
        {"query_id": f"q{q}", "document_id": f"d{d}", "grade": rng.choice([0.0, 1.0, 2.0])}
        for q in range(12)
        for d in sorted(rng.sample(range(30), rng.randint(1, 5)))
    ]
