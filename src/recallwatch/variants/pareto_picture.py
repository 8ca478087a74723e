"""A pareto result as a picture: SVG, PNG or an HTML page that needs no network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..document import as_page
from ..document.charts_tuning import NAMED
from ..document.figure import Figure, fine
from ..document.picture import drawn
from .pareto_document import document_of, knee_line

Result = Mapping[str, Any]  # the JSON of a pareto result

KINDS = ("svg", "png", "html")
ROOM = {"x": 0.04, "y": 0.25}  # share of an axis that a name takes


def picture(result: Result, kind: str) -> bytes:
    """The picture's bytes: the front and its knee, and under it recall and precision by k if requested."""
    if kind == "html":
        title = f"{result['y']} against {result['x']['name']}"
        return as_page.render(document_of(result), figures(result), title=title).encode()
    return drawn(figures(result), kind)


def figures(result: Result) -> list[Figure]:
    """The figures of a result, with what they show in words."""
    y, x = result["y"], result["x"]
    front = Figure(
        name="front",
        kind="front",
        title=f"{y} against {x['name']}",
        summary=knee_line(result),
        data=_points(result),
        options={"x": f"{x['name']} ({x['unit']})", "y": y, "scale": _scale(result), "steps": _steps(result)},
    )
    curve, at = result["k_curve"], result["suggested_k"]
    if not curve or not curve["rows"]:
        return [front]
    rows = [
        {"side": side, "k": row["k"], "value": fine(row[side]), "low": fine(row[f"{side}_low"]), "high": fine(row[f"{side}_high"])}
        for row in curve["rows"]
        for side in ("recall", "precision")
        if not row["truncated"]
    ]
    title = f"Recall and precision by k: {curve['variant']}" + (" (the knee)" if result["knee"] == curve["variant"] else "")
    return [front, Figure("k-curve", "curve", title, title, rows, options={"k": None if at is None else at["k"]})]


def _points(result: Result) -> list[dict[str, Any]]:
    """One point a variant that has both numbers; names where there is room, the front's first."""
    rows = [row for row in result["variants"] if row["x"] is not None and row["y"] is not None]
    places = {"x": [math.log(row["x"]) if _scale(result) == "log" else row["x"] for row in rows], "y": [row["y"] for row in rows]}
    spans = {axis: (max(coordinates) - min(coordinates)) or 1.0 for axis, coordinates in places.items()}
    named: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: not rows[i]["is_front"]):
        near = any(all(abs(places[a][i] - places[a][o]) < ROOM[a] * spans[a] for a in ROOM) for o in named)
        if rows[i]["is_front"] or (len(rows) <= NAMED and not near):
            named.append(i)
    return [_point(row, is_named=i in named) for i, row in enumerate(rows)]


def _point(row: Mapping[str, Any], *, is_named: bool) -> dict[str, Any]:
    role = "knee" if row["is_knee"] else "front" if row["is_front"] else "dominated"
    numbers = {name: fine(row[name]) for name in ("x", "y", "x_low", "x_high", "y_low", "y_high")}
    if numbers["x_low"] is None or numbers["x_high"] is None:  # an interval that is open on one side is not drawn
        numbers["x_low"] = numbers["x_high"] = None
    return {"variant": row["variant"], "role": role, "label": row["variant"] if is_named else "", **numbers}


def _scale(result: Result) -> str:
    """A log scale has no zero."""
    is_positive = all(row["x"] > 0 for row in result["variants"] if row["x"] is not None)
    return "log" if result["x"]["scale"] == "log" and is_positive else "linear"


def _steps(result: Result) -> list[dict[str, Any]]:
    """The best that can be had for a price, up to the dearest variant tried."""
    steps = [{"x": fine(row["x"]), "y": fine(row["y"])} for row in result["variants"] if row["is_front"]]
    dearest = max((row["x"] for row in result["variants"] if row["x"] is not None), default=None)
    return [*steps, {"x": fine(dearest), "y": steps[-1]["y"]}] if steps else []
