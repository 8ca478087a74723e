"""Which picture shows what: rows for the charts and the tables behind them. No number is computed here, only chosen and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .night import Night, column_name, headline_columns, segment_name
from .sections import ms, number

SHOWN_STAGES = 8
DAY = "T00:00:00Z"


@dataclass(frozen=True)
class Figure:
    """One chart with the table behind it.

    Args:
        name: unique on the page; also the name of its image file.
        kind: function of charts.py that draws it.
        title: what it shows.
        summary: one sentence for who cannot see it.
        data: rows for the chart.
        marks: vertical lines: at, text.
        header, rows: the table; cells are (shown, sort value).
        wide: whether it takes the whole width.
    """

    name: str
    kind: str
    title: str
    summary: str
    data: Sequence[Mapping[str, Any]]
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    marks: Sequence[Mapping[str, Any]] = ()
    wide: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def figures(night: Night) -> dict[str, list[Figure]]:
    """Section -> its charts; a section without data has none."""
    return {
        "queries": _queries(night),
        "trends": _trends(night),
        "latency": [*_latency(night), *_spread(night)],
        "causes": _causes(night),
        "segments": _segments(night),
        "depth": _depth(night),
    }


def day(window: str | None) -> str:
    """A window's start as people write it."""
    return str(window or "").removesuffix(DAY)


def fine(value: float | None) -> float | None:
    """As fine as a picture shows."""
    return None if value is None else float(f"{value:.6g}")


def verdicts(night: Night, *, stage: str | None = None, metric: str | None = None) -> dict[str, str]:
    """Window start -> what it said of a stage, or of a metric at its tested depth: the gravest of fail, warn and improved, else nothing."""
    family, found = "quality" if stage is None else "latency", {}
    for window in (night.drift or {}).get("windows") or []:
        told = [f for f in window["findings"] if f["family"] == family and not f["segment"]]
        seen = {f["verdict"] for f in told if (f["stage"] == stage if stage is not None else f["metric"] == metric)}
        found[window["current"]["from"]] = next((word for word in ("fail", "warn", "improved") if word in seen), "")
    return found


def all_marks(night: Night) -> list[dict[str, str]]:
    """Vertical lines of a trend: changes of index, variant and labels, and change points."""
    found = [{"at": str(mark["at"]), "text": str(mark["text"])} for mark in night.marks]
    points = (night.drift or {}).get("change_points") or []
    return found + [{"at": point["at"], "text": f"change point of {point['metric']}"} for point in points]


def _queries(night: Night) -> list[Figure]:
    rows = night.sides.get("queries", [])
    found = []
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
            (str(row["query_id"] or row["query_text"]), row["query_class"] or "", *(_cell(row[c]) for c in ("before", "after", "change")), f"{row['n_before']:,}", f"{row['n_after']:,}")
            for row in chosen
            if row["verdict"] != "same"
        ]
        summary = f"{worse} of {len(chosen)} queries are worse than before, {better} better, {len(chosen) - worse - better} the same"
        header = ("query", "class", "before", "after", "change", "recalls before", "recalls after")
        found.append(Figure(f"queries-{name}", "dots", f"{name}, one dot per query", summary, data, header, table))
    return found


def _cell(value: float | None) -> tuple[str, float | None]:
    return number(value), value


def _trends(night: Night) -> list[Figure]:
    marks, found = all_marks(night), []
    for name in headline_columns(night.evaluation):
        rows = [row for row in night.evaluation["metrics"] if row["window"] and not row["segment"] and column_name(row) == name]
        if len(rows) < 2:
            continue
        told = verdicts(night, metric=name.partition("@")[0])
        data = [
            {"w": r["window"], "value": fine(r["value"]), "low": fine(r["ci_low"]), "high": fine(r["ci_high"]), "n": r["n"], "verdict": told.get(r["window"], "")}
            for r in rows
        ]
        table = [(day(r["window"]), _cell(r["value"]), _cell(r["ci_low"]), _cell(r["ci_high"]), f"{r['n']:,}", told.get(r["window"], "")) for r in rows]
        header = ("window", name, "from", "to", "recalls", "verdict")
        summary = f"{name} over {len(rows)} windows, {number(rows[0]['value'])} in the first, {number(rows[-1]['value'])} in the last"
        found.append(Figure(f"trend-{name}", "trend", name, summary, data, header, table, marks))
    return found


def _latency_rows(night: Night) -> dict[str, list[Mapping[str, Any]]]:
    """Stage -> its rows by window, cache misses where the log tells them apart; total first."""
    rows = [row for row in night.evaluation["latency"] if row["window"] and not row["segment"]]
    cache = "miss" if any(row["cache"] == "miss" for row in rows) else "all"
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["cache"] == cache:
            found.setdefault(row["stage"], []).append(row)
    return dict(list(found.items())[:SHOWN_STAGES])


def _latency(night: Night) -> list[Figure]:
    marks, found = all_marks(night), []
    for stage, rows in _latency_rows(night).items():
        if len(rows) < 2:
            continue
        told = verdicts(night, stage=stage)
        data = [
            {"w": r["window"], "p50": fine(r["p50_ms"]), "p95": fine(r["p95_ms"]), "low": fine(r["p95_ci_low_ms"]), "high": fine(r["p95_ci_high_ms"]), "n": r["n"], "verdict": told.get(r["window"], "")}
            for r in rows
        ]
        table = [(day(r["window"]), *((ms(r[c]), r[c]) for c in ("p50_ms", "p95_ms", "p99_ms", "max_ms")), f"{r['n']:,}", f"{r['n_missing']:,}") for r in rows]
        header = ("window", "p50 ms", "p95 ms", "p99 ms", "max ms", "recalls", "missing")
        summary = f"{stage}: p50 {ms(rows[0]['p50_ms'])} ms in the first window, {ms(rows[-1]['p50_ms'])} ms in the last"
        found.append(Figure(f"latency-{stage}", "latency", f"{stage}, p50 and p95 in ms", summary, data, header, table, marks))
    return found


def _spread(night: Night) -> list[Figure]:
    found = []
    rows = night.sides.get("spread", [])
    percentiles = {(row["side"], row["stage"]): row for row in night.sides.get("latency", []) if not row["segment"] and row["cache"] in ("miss", "all")}
    for stage in list(dict.fromkeys(row["stage"] for row in rows))[:SHOWN_STAGES]:
        chosen = [row for row in rows if row["stage"] == stage and row["ms"] > 0]
        data = [{"side": row["side"], "ms": fine(row["ms"]), "share": fine(row["share"])} for row in chosen]
        both = [(side, percentiles[side, stage]) for side in ("reference", "current") if (side, stage) in percentiles]
        table = [(side, f"{r['n']:,}", *((ms(r[c]), r[c]) for c in ("mean_ms", "p50_ms", "p95_ms", "p99_ms", "max_ms"))) for side, r in both]
        summary = "; ".join(f"{side} p50 {ms(r['p50_ms'])} ms, p95 {ms(r['p95_ms'])} ms" for side, r in both)
        header = ("", "recalls", "mean ms", "p50 ms", "p95 ms", "p99 ms", "max ms")
        found.append(Figure(f"spread-{stage}", "spread", f"{stage}: share of recalls done within so many ms", summary, data, header, table))
    return found


PARTS = (("class_mix", "other classes"), ("query_mix", "other queries"), ("within", "same query, other answer"), ("entry_exit", "came and went"), ("total", "total"))


def _causes(night: Night) -> list[Figure]:
    found = []
    for row in (night.drift or {}).get("decomposition") or []:
        if row["total"] is None:
            continue
        data = [{"part": label, "effect": fine(row[part]), "order": i, "is_total": part == "total"} for i, (part, label) in enumerate(PARTS)]
        table = [(label, (f"{100 * row[part]:+.2f}", row[part])) for part, label in PARTS]
        summary = "; ".join(f"{label} {100 * row[part]:+.1f} points" for part, label in PARTS)
        name = column_name(row)
        found.append(Figure(f"causes-{name}", "waterfall", f"What moved {name}, by traffic", summary, data, ("part", "points"), table))
    return found


def _segments(night: Night) -> list[Figure]:
    columns = headline_columns(night.evaluation)[:1]
    rows = [row for row in night.evaluation["metrics"] if row["window"] and row["segment"] and column_name(row) in columns]
    if not rows:
        return []
    data = [{"w": row["window"], "segment": segment_name(row["segment"])[:60], "value": fine(row["value"]), "n": row["n"]} for row in rows]
    names = list(dict.fromkeys(cell["segment"] for cell in data))
    cells = {(cell["w"], cell["segment"]): cell["value"] for cell in data}
    windows = sorted({cell["w"] for cell in data})
    table = [(day(w), *(_cell(cells.get((w, name))) for name in names)) for w in windows]
    summary = f"{columns[0]} of {len(names)} segments over {len(windows)} windows"
    return [Figure("segments", "heat", f"{columns[0]} by {', '.join(rows[0]['segment'])}", summary, data, ("window", *names), table, wide=True)]


def _depth(night: Night) -> list[Figure]:
    sides = night.sides.get("metrics") or []
    rows = [row for row in sides if not row["segment"]] or [
        {"side": "all", **row} for row in night.evaluation["metrics"] if row["window"] is None and not row["segment"]
    ]
    found = []
    for metric in ("recall", "precision"):
        chosen = [row for row in rows if row["metric"] == metric and row["k"] is not None]
        if len({row["k"] for row in chosen}) < 2:
            continue
        data = [{"side": r["side"], "k": r["k"], "value": fine(r["value"]), "low": fine(r["ci_low"]), "high": fine(r["ci_high"]), "n": r["n"]} for r in chosen]
        table = [(r["side"], str(r["k"]), _cell(r["value"]), _cell(r["ci_low"]), _cell(r["ci_high"]), _cell(r["attainable"])) for r in chosen]
        summary = "; ".join(f"{r['side']} {metric}@{r['k']} {number(r['value'])}" for r in chosen)
        header = ("", "k", metric, "from", "to", "attainable")
        found.append(Figure(f"depth-{metric}", "depth", f"{metric} against k", summary, data, header, table))
    return found
