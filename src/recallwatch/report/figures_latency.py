"""Figures of speed: percentiles of each stage over windows, and how its times are distributed before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.figure import Figure, day, fine
from ..document.numbers import ms
from .flags import all_marks, verdicts
from .night import Night

SHOWN_STAGES = 8


def _latency_rows(night: Night) -> dict[str, list[Mapping[str, Any]]]:
    """Stage -> its rows by window, cache misses where the log tells them apart; total first."""
    rows = [row for row in night.evaluation["latency"] if row["window"] and not row["segment"]]
    cache = "miss" if any(row["cache"] == "miss" for row in rows) else "all"
    by_stage: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["cache"] == cache:
            by_stage.setdefault(row["stage"], []).append(row)
    return dict(list(by_stage.items())[:SHOWN_STAGES])


def over_time(night: Night) -> list[Figure]:
    """P50 and p95 of each stage by window."""
    marks, drawn = all_marks(night), []
    for stage, rows in _latency_rows(night).items():
        if len(rows) < 2:
            continue
        flags = verdicts(night, stage=stage)
        data = [
            {
                "w": r["window"],
                "p50": fine(r["p50_ms"]),
                "p95": fine(r["p95_ms"]),
                "low": fine(r["p95_ci_low_ms"]),
                "high": fine(r["p95_ci_high_ms"]),
                "n": r["n"],
                "verdict": flags.get(r["window"], ""),
            }
            for r in rows
        ]
        table = [
            (
                day(r["window"]),
                *((ms(r[c]), r[c]) for c in ("p50_ms", "p95_ms", "p99_ms", "max_ms")),
                f"{r['n']:,}",
                f"{r['n_missing']:,}",
            )
            for r in rows
        ]
        header = ("window", "p50 ms", "p95 ms", "p99 ms", "max ms", "recalls", "missing")
        summary = f"{stage}: p50 {ms(rows[0]['p50_ms'])} ms in the first window, {ms(rows[-1]['p50_ms'])} ms in the last"
        drawn.append(Figure(f"latency-{stage}", "latency", f"{stage}, p50 and p95 in ms", summary, data, header, table, marks))
    return drawn


def spread(night: Night) -> list[Figure]:
    """The times of each stage, before and after, as shares of recalls done within so many ms."""
    drawn = []
    rows = night.sides.get("spread", [])
    percentiles = {
        (row["side"], row["stage"]): row
        for row in night.sides.get("latency", [])
        if not row["segment"] and row["cache"] in ("miss", "all")
    }
    for stage in list(dict.fromkeys(row["stage"] for row in rows))[:SHOWN_STAGES]:
        chosen = [row for row in rows if row["stage"] == stage and row["ms"] > 0]
        data = [{"side": row["side"], "ms": fine(row["ms"]), "share": fine(row["share"])} for row in chosen]
        both = [(side, percentiles[side, stage]) for side in ("reference", "current") if (side, stage) in percentiles]
        table = [
            (side, f"{r['n']:,}", *((ms(r[c]), r[c]) for c in ("mean_ms", "p50_ms", "p95_ms", "p99_ms", "max_ms")))
            for side, r in both
        ]
        summary = "; ".join(f"{side} p50 {ms(r['p50_ms'])} ms, p95 {ms(r['p95_ms'])} ms" for side, r in both)
        header = ("", "recalls", "mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
        drawn.append(
            Figure(f"spread-{stage}", "spread", f"{stage}: share of recalls done within so many ms", summary, data, header, table)
        )
    return drawn
