"""Pictures of an evaluation: rows for the charts and the tables behind them. No number is computed here, only chosen and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..document.figure import Figure, bounds, cell, day, fine, interval
from ..document.numbers import ratio as number
from .columns import headline_columns, segment_name
from .document import column_name, whole

Rows = Sequence[Mapping[str, Any]]


def means(evaluation: Mapping[str, Any]) -> list[Figure]:
    """The leading columns over everything read; by segments, the first of them for each."""
    names = headline_columns(evaluation)
    rows = [row for row in evaluation["metrics"] if row["window"] is None and column_name(row) in names]
    parts = [row for row in rows if row["segment"] and column_name(row) == names[0]]
    title = f"{names[0]} by {', '.join(dict.fromkeys(' × '.join(row['segment']) for row in parts))}" if parts else "Quality"
    shown = parts or [row for row in rows if not row["segment"]]
    if not shown:
        return []
    data = [{"name": (segment_name(r["segment"]) if parts else column_name(r))[:60], **interval(r)} for r in shown]
    table = [(row["name"], *map(cell, bounds(r)), f"{r['n']:,}") for row, r in zip(data, shown, strict=True)]
    summary = "; ".join(f"{row['name']} {number(row['value'])}" for row in data)
    return [Figure("means", "means", title, summary, data, ("", "value", "from", "to", "recalls"), table)]


def trends(
    evaluation: Mapping[str, Any], flags: Mapping[str, Mapping[str, str]] = MappingProxyType({}), marks: Rows = ()
) -> list[Figure]:
    """The leading columns by window.

    Args:
        evaluation: its JSON.
        flags: metric -> (window start -> verdict) of windows to mark.
        marks: vertical lines: at, text.
    """
    drawn = []
    for name in headline_columns(evaluation):
        rows = [row for row in evaluation["metrics"] if row["window"] and not row["segment"] and column_name(row) == name]
        if len(rows) < 2:
            continue
        marked = flags.get(name.partition("@")[0], {})
        data = [{"w": r["window"], **interval(r), "verdict": marked.get(r["window"], "")} for r in rows]
        table = [(day(r["window"]), *map(cell, bounds(r)), f"{r['n']:,}", marked.get(r["window"], "")) for r in rows]
        header = ("window", name, "from", "to", "recalls", "verdict")
        first, last = (number(rows[i]["value"]) for i in (0, -1))
        summary = f"{name}, by traffic, over {len(rows)} windows, {first} in the first, {last} in the last"
        drawn.append(Figure(f"trend-{name}", "trend", f"{name}, by traffic", summary, data, header, table, marks))
    return drawn


def segments(evaluation: Mapping[str, Any]) -> list[Figure]:
    """The first leading column by segment and window."""
    columns = headline_columns(evaluation)[:1]
    rows = [row for row in evaluation["metrics"] if row["window"] and row["segment"] and column_name(row) in columns]
    if not rows:
        return []
    groupings = list(dict.fromkeys(" × ".join(row["segment"]) for row in rows))

    def named(segment: Mapping[str, Any]) -> str:
        """The values; with their columns where there are several groupings, which may share a value."""
        return segment_name(segment) if len(groupings) == 1 else f"{' × '.join(segment)}: {segment_name(segment)}"

    data = [{"w": row["window"], "segment": named(row["segment"])[:60], "value": fine(row["value"]), "n": row["n"]} for row in rows]
    names = list(dict.fromkeys(cell["segment"] for cell in data))
    cells = {(cell["w"], cell["segment"]): cell["value"] for cell in data}
    windows = sorted({cell["w"] for cell in data})
    table = [(day(w), *(cell(cells.get((w, name))) for name in names)) for w in windows]
    summary = f"{columns[0]} of {len(names)} segments over {len(windows)} windows"
    title = f"{columns[0]} by {', '.join(groupings)}, by traffic"
    return [Figure("segments", "heat", title, summary, data, ("window", *names), table, wide=True)]


def depth(evaluation: Mapping[str, Any], sides: Rows = ()) -> list[Figure]:
    """Recall and precision against k; of the two sides of a comparison where there are."""
    rows = [row for row in sides if not row["segment"]] or [{"side": "all", **row} for row in whole(evaluation["metrics"])]
    drawn = []
    for metric in ("recall", "precision"):
        chosen = [row for row in rows if row["metric"] == metric and row["k"] is not None]
        if len({row["k"] for row in chosen}) < 2:
            continue
        data = [{"side": r["side"], "k": r["k"], **interval(r)} for r in chosen]
        table = [(r["side"], str(r["k"]), *map(cell, bounds(r)), cell(r["attainable"])) for r in chosen]
        summary = "; ".join(f"{r['side']} {metric}@{r['k']} {number(r['value'])}" for r in chosen)
        header = ("", "k", metric, "from", "to", "attainable")
        drawn.append(Figure(f"depth-{metric}", "depth", f"{metric} against k, by traffic", summary, data, header, table))
    return drawn
