"""Which picture shows what: rows for the charts and the tables behind them. No number is computed here, only chosen and named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.figure import Figure, cell, day, fine
from ..document.numbers import ratio as number
from ..scoring.columns import headline_columns
from ..scoring.document import column_name
from ..scoring.figures import depth, segments, trends
from . import figures_latency
from .flags import all_marks, verdicts
from .night import Night


def figures(night: Night) -> dict[str, list[Figure]]:
    """Section -> its charts; a section without data has none."""
    leading = {name.partition("@")[0] for name in headline_columns(night.evaluation)}
    return {
        "answers": _answers(night),
        "queries": _queries(night),
        "trends": trends(night.evaluation, {name: verdicts(night, metric=name) for name in leading}, all_marks(night)),
        "latency": [*figures_latency.over_time(night), *figures_latency.spread(night)],
        "causes": _causes(night),
        "segments": segments(night.evaluation),
        "depth": depth(night.evaluation, night.sides.get("metrics") or ()),
    }


def of_drift(drift: Mapping[str, Any]) -> list[Figure]:
    """What a comparison of windows shows by itself."""
    night = Night({"metrics": []}, drift)
    return [*_causes(night), *_answers(night)]


def _queries(night: Night) -> list[Figure]:
    rows = night.sides.get("queries", [])
    drawn = []
    for name in headline_columns(night.evaluation)[:2]:
        chosen = [row for row in rows if column_name(row) == name]
        if not chosen:
            continue
        data = [
            {
                "query": str(row["query_id"] or row["query_text"])[:80],
                "text": str(row["query_text"] or "")[:160],
                "class": row["query_class"] or "",
                "before": fine(row["before"]),
                "after": fine(row["after"]),
                "verdict": row["verdict"],
            }
            for row in chosen
        ]
        worse, better = (sum(row["verdict"] == word for row in chosen) for word in ("worse", "better"))
        table = [
            (
                str(row["query_id"] or row["query_text"]),
                row["query_class"] or "",
                *(cell(row[c]) for c in ("before", "after", "change")),
                f"{row['n_before']:,}",
                f"{row['n_after']:,}",
            )
            for row in chosen
            if row["verdict"] != "same"
        ]
        same = len(chosen) - worse - better
        summary = f"{worse} of {len(chosen)} queries are worse than before, {better} better, {same} the same"
        header = ("query", "class", "before", "after", "change", "recalls before", "recalls after")
        drawn.append(Figure(f"queries-{name}", "dots", f"{name}, one dot per query", summary, data, header, table))
    return drawn


OF_ANSWERS = (
    ("overlap", "overlap@10: what the same queries get, against the windows before"),
    ("documents_gone", "documents gone: share of what lists usually hold that nobody is shown any more"),
)


def _answers(night: Night) -> list[Figure]:
    """Each window against the accepted ones before it; the band is where another such window is expected."""
    drawn = []
    for metric, title in OF_ANSWERS:
        points = [
            (window["current"], row)
            for window in (night.drift or {}).get("windows") or []
            for row in window["findings"]
            if row["metric"] == metric and row["current"] is not None
        ]
        if len(points) < 2:
            continue
        flags = verdicts(night, metric=metric, family="answers")
        usual = [_usual(row) for _, row in points]
        data = [
            {
                "w": w["from"],
                "value": fine(row["current"]),
                "low": fine(low),
                "high": fine(high),
                "n": w["events"],
                "verdict": flags.get(w["from"], ""),
            }
            for (w, row), (low, high) in zip(points, usual, strict=True)
        ]
        table = [
            (day(w["from"]), *map(cell, (row["current"], *band)), f"{w['events']:,}", flags.get(w["from"], ""))
            for (w, row), band in zip(points, usual, strict=True)
        ]
        n_flagged = sum(bool(row["verdict"]) for row in data)
        newest = number(points[-1][1]["current"])
        summary = f"{metric.replace('_', ' ')} over {len(points)} windows, {newest} in the newest, {n_flagged} of them flagged"
        header = ("window", metric.replace("_", " "), "usual from", "to", "recalls", "verdict")
        drawn.append(Figure(f"answers-{metric}", "trend", title, summary, data, header, table, all_marks(night)))
    return drawn


def _usual(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Where a value of a window like the reference's is expected, 19 times in 20."""
    if row["ci_low"] is None or row["reference"] is None:
        return None, None
    half = (row["ci_high"] - row["ci_low"]) / 2
    return max(row["reference"] - half, 0.0), min(row["reference"] + half, 1.0)


PARTS = (
    ("class_mix", "other classes"),
    ("query_mix", "other queries"),
    ("within", "same query, other answer"),
    ("entry_exit", "came and went"),
    ("total", "total"),
)


def _causes(night: Night) -> list[Figure]:
    drawn = []
    for row in (night.drift or {}).get("decomposition") or []:
        if row["total"] is None:
            continue
        data = [
            {"part": label, "effect": fine(row[part]), "order": i, "is_total": part == "total"}
            for i, (part, label) in enumerate(PARTS)
        ]
        table = [(label, (f"{100 * row[part]:+.2f}", row[part])) for part, label in PARTS]
        summary = "; ".join(f"{label} {100 * row[part]:+.1f} points" for part, label in PARTS)
        name = column_name(row)
        title = f"What moved {name}, by traffic"
        drawn.append(Figure(f"causes-{name}", "waterfall", title, summary, data, ("part", "points"), table))
    return drawn
