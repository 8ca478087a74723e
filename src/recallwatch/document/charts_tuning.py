"""Figures of `recallwatch pareto`: quality against price with the front and its knee; recall and precision by k."""

from __future__ import annotations

from .figure import Figure
from .vega_lite import Spec, channel, constant, either, layer

NAMED = 14  # variants that are all named in the picture; of more, the front's only
ROLES = {"knee": "var(--worse)", "front": "var(--after)", "dominated": "var(--soft)"}
SHAPES = {"knee": "diamond", "front": "circle", "dominated": "circle"}
SIDES = {"recall": "var(--after)", "precision": "var(--better)"}


def front(figure: Figure) -> Spec:
    """One point a variant; the steps are the best that can be had for a price, the bars 95 % intervals.

    ``figure.options``: x, y (titles), scale (log | linear), steps (rows x, y).
    """
    given, rows = figure.options, [dict(row) for row in figure.data]
    ruler = {"nice": False, "padding": 24, "type": given["scale"], "zero": False}
    x = channel("x:Q", title=given["x"], scale=ruler, axis={"format": ".6~g", "labelOverlap": True, "tickCount": 8})
    y = channel("y:Q", title=given["y"], scale={"nice": True, "padding": 12, "zero": False}, axis={"titlePadding": 14})
    kinds, colours, shapes = list(ROLES), list(ROLES.values()), list(SHAPES.values())
    colour = channel("role:N", scale={"domain": kinds, "range": colours}, sort=kinds, legend={"symbolOpacity": 1})
    shown = ("variant", "role", "x", "y", "y_low", "y_high", "x_low", "x_high")
    best = [dict(row) for row in given["steps"]]
    steps = layer("line", {"x": x, "y": y}, best, interpolate="step-after", color="var(--after)", opacity=0.5)
    upwards = {"x": x, "y": channel("y_low:Q", title=given["y"]), "y2": channel("y_high"), "color": colour}
    sideways = {"x": channel("x_low:Q", title=given["x"]), "x2": channel("x_high"), "y": y, "color": colour}
    channels = {
        "x": x,
        "y": y,
        "color": colour,
        "shape": channel("role:N", scale={"domain": kinds, "range": shapes}, sort=kinds),
        "size": either("datum.role == 'knee'", constant(150), 60),
        "tooltip": [channel(f"{name}:{'N' if name in ('variant', 'role') else 'Q'}") for name in shown],
    }
    words = {"align": "left", "angle": 310, "dx": 9, "dy": -2, "color": "var(--ink)", "fontSize": 11}
    names = layer("text", {"x": x, "y": y, "text": channel("label:N")}, rows, **words)
    names["transform"] = [{"filter": "datum.label != ''"}]
    bars = [layer("rule", way, rows, opacity=0.35) for way in (upwards, sideways)]
    return {"layer": [steps, *bars, layer("point", channels, rows, filled=True, opacity=1), names]}


def curve(figure: Figure) -> Spec:
    """Recall and precision by k with their intervals; the dashed line is the suggested k. ``figure.options``: k (or None)."""
    rows, at = [dict(row) for row in figure.data], figure.options["k"]
    axis = {"format": "d", "labelOverlap": True, "values": sorted({row["k"] for row in rows})}
    x = channel("k:Q", title="k", scale={"nice": False, "type": "log"}, axis=axis)
    sides = {"domain": list(SIDES), "range": list(SIDES.values())}
    base = {"x": x, "color": channel("side:N", scale=sides, legend={"symbolOpacity": 1})}
    own = None if at is None else rows
    band = layer("area", {**base, "y": channel("low:Q", title=None), "y2": channel("high")}, own, opacity=0.15)
    tips = [channel("side:N"), channel("k:Q"), *(channel(f"{name}:Q", format=".4f") for name in ("value", "low", "high"))]
    y = channel("value:Q", title=None, scale={"zero": True})
    line = layer("line", {**base, "y": y, "tooltip": tips}, own, strokeWidth=2, point={"filled": True, "size": 45})
    if at is None:
        return {"layer": [band, line], "data": rows}
    mark = [{"k": at, "text": f"k = {at}"}]
    rule = layer("rule", {"x": x}, mark, strokeDash=[4, 3], color="var(--worse)", strokeWidth=1.5)
    words = {"align": "left", "dx": 5, "baseline": "top", "color": "var(--ink)", "fontSize": 12}
    return {"layer": [band, rule, line, layer("text", {"x": x, "y": constant(0), "text": channel("text:N")}, mark, **words)]}
