"""Percentiles of times against a sorted list: where many times are equal, where cuts differ, with and without the cache told apart."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import recallwatch

LABELS = [{"query_id": "q", "relevant": ["a"]}]
PER_MILLE = {"p50_ms": 500, "p95_ms": 950, "p99_ms": 990}


def log(seed: int) -> list[dict[str, Any]]:
    """1,500 recalls; times of three tenants, coarse enough that many are equal and many stand in one bucket."""
    r = np.random.default_rng(seed)
    return [
        {
            "event_id": f"e{i}",
            "timestamp": f"2026-03-{2 + i % 2:02d}T{i % 24:02d}:00:00Z",
            "query_id": "q",
            "tenant_id": f"t{i % 3}",
            "ranked_ids": ["a"],
            "cache_hit": bool(r.random() < 0.2),
            "total_ms": float(np.round(1000 + 40 * (i % 3) + r.gamma(2, 8), 1)),
            "stage_ms": {"embed": float(np.round(r.lognormal(3, 0.02), 2))},
        }
        for i in range(1500)
    ]


def percentile(times: list[float], per_mille: int, *, linear: bool) -> float:
    """The nearest rank, or type 7, of a list."""
    times = sorted(times)
    if not linear:
        return times[(len(times) * per_mille + 999) // 1000 - 1]
    below, rest = divmod((len(times) - 1) * per_mille, 1000)
    return times[below] * (1 - rest / 1000) + times[min(below + 1, len(times) - 1)] * (rest / 1000)


@pytest.mark.parametrize("how", ["nearest_rank", "linear"])
def test_percentiles_are_those_of_a_sorted_list(how: str) -> None:
    """Every window, segment, stage and cache state."""
    rows = log(5)
    found = recallwatch.evaluate(rows, LABELS, by="tenant_id", window="day", percentile=how).to_dict()["latency"]
    times: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for row in rows:
        for window in (None, row["timestamp"][:10]):
            for tenant in (None, row["tenant_id"]):
                for cache in ("all", "hit" if row["cache_hit"] else "miss"):
                    times[window, tenant, cache, "total"].append(row["total_ms"])
                    times[window, tenant, cache, "embed"].append(row["stage_ms"]["embed"])
    seen = set()
    for row in found:
        key = (row["window"] and str(row["window"])[:10], row["segment"].get("tenant_id"), row["cache"], row["stage"])
        seen.add(key)
        for name, per_mille in PER_MILLE.items():
            assert row[name] == pytest.approx(percentile(times[key], per_mille, linear=how == "linear"), abs=1e-9), (key, name)
    assert seen == set(times)
