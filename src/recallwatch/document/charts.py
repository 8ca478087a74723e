"""How a figure is drawn: one function a kind, as Vega-Lite. Colours are names of the page's palette, so that one drawing serves light, dark and paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from .as_html import visible
from .charts_tuning import curve, front
from .figure import Figure
from .palette import CONFIG, HEIGHT, MANY, PALETTE, VERDICTS
from .vega_lite import SCHEMA, Spec, channel, constant, either, inline, layer


def spec(figure: Figure) -> Spec:
    """The figure as Vega-Lite, with the page's colours by name."""
    drawn, datasets = inline(DRAW[figure.kind](figure))
    return dict(
        _visible(
            {
                "config": CONFIG,
                **drawn,
                "height": _height(figure),
                "width": "container",
                "$schema": SCHEMA,
                "datasets": datasets,
                "autosize": {"type": "fit", "contains": "padding"},
                "description": f"{figure.title}. {figure.summary}",
            }
        )
    )


def _visible(value: Any) -> Any:
    """No text of a log can break an SVG."""
    if isinstance(value, dict):
        return {name: _visible(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_visible(inner) for inner in value]
    return visible(value) if isinstance(value, str) else value


def static(figure: Figure) -> Spec:
    """The same for an image: a fixed width and the light palette."""
    title = {"text": visible(figure.title), "anchor": "start"}
    drawn = {**spec(figure), "width": 640, "background": PALETTE["--paper"], "title": title}
    text = re.sub(r"var\((--[a-z]+)\)", lambda match: PALETTE[match[1]], json.dumps(drawn))
    return dict(json.loads(text))


def _height(figure: Figure) -> int:
    if figure.kind == "heat":
        return 60 + 22 * len({row["segment"] for row in figure.data})
    return 30 * len(figure.data) if figure.kind == "means" else 300 if figure.kind in ("dots", "front") else HEIGHT


def _time() -> Spec:
    return channel(
        "w:T",
        scale={"type": "utc"},
        axis={"format": "%b %d", "labelOverlap": True, "labelSeparation": 8, "tickCount": 6, "title": None},
    )


def _when() -> Spec:
    return channel("w:T", timeUnit={"unit": "utcyearmonthdatehours"}, format="%Y-%m-%d %H:%M", title="window")


def _rows(rows: Any) -> list[Spec]:
    return [dict(row) for row in rows]


def _marks(figure: Figure) -> list[Spec]:
    if not figure.marks:
        return []
    rows = [{"w": mark["at"], "text": mark["text"]} for mark in figure.marks]
    tips = [_when(), channel("text:N", title="changed")]
    return [layer("rule", {"x": _time(), "tooltip": tips}, rows, strokeDash=[4, 3], color="var(--soft)", strokeWidth=1.5)]


def _points(names: list[Spec], y: str, n: int) -> Spec:
    """A dot a window: filled, large and of another shape where the window was flagged."""
    colour = channel("verdict:N", scale={"domain": list(VERDICTS), "range": list(VERDICTS.values())}, legend=None)
    flagged = {"field": "verdict", "oneOf": list(VERDICTS)}
    channels = {
        "x": _time(),
        "y": channel(y),
        "size": either(flagged, constant(90 if n <= MANY else 45), 30 if n <= MANY else 8),
        "shape": either(flagged, constant("triangle-down"), "circle"),
        "color": either(flagged, colour, "var(--after)"),
        "tooltip": [_when(), *names, channel("n:Q", title="recalls", format=","), channel("verdict:N")],
    }
    return layer("point", channels, filled=True, opacity=1)


def trend(figure: Figure) -> Spec:
    """A metric over windows with its interval; flagged windows are triangles."""
    y = channel("value:Q", title=None, scale={"nice": True, "zero": False})
    low = {"x": _time(), "y": channel("low:Q", title=None), "y2": channel("high")}
    band = layer("area", low, opacity=0.18, color="var(--after)")
    line = layer("line", {"x": _time(), "y": y}, color="var(--after)", strokeWidth=2)
    tips = [channel(f"{c}:Q", format=".4f", title=t) for c, t in (("value", figure.title), ("low", "from"), ("high", "to"))]
    return {"layer": [*_marks(figure), band, line, _points(tips, "value:Q", len(figure.data))], "data": _rows(figure.data)}


def latency(figure: Figure) -> Spec:
    """P50 and p95 of a stage over windows; the band is p95's interval."""
    title = channel("p95:Q", title="ms", scale={"nice": True, "zero": True})
    band = layer(
        "area", {"x": _time(), "y": channel("low:Q", title="ms"), "y2": channel("high")}, opacity=0.18, color="var(--after)"
    )
    high = layer("line", {"x": _time(), "y": title}, color="var(--after)", strokeWidth=2)
    low = layer("line", {"x": _time(), "y": channel("p50:Q")}, color="var(--before)", strokeWidth=2, strokeDash=[6, 3])
    tips = [channel(f"{c}:Q", format=".4~g", title=f"{c} ms") for c in ("p50", "p95")]
    return {"layer": [*_marks(figure), band, low, high, _points(tips, "p95:Q", len(figure.data))], "data": _rows(figure.data)}


def dots(figure: Figure) -> Spec:
    """One dot per query: before across, after upwards; under the line = worse."""
    kinds = {"worse": "var(--worse)", "better": "var(--better)", "same": "var(--soft)"}
    shapes = {"worse": "triangle-down", "better": "triangle-up", "same": "circle"}
    rows = [{**row, "x": row["before"] + _nudge(i, 3), "y": row["after"] + _nudge(i, 7)} for i, row in enumerate(figure.data)]
    line = layer(
        "line",
        {"x": channel("x:Q"), "y": channel("y:Q")},
        [{"x": 0, "y": 0}, {"x": 1, "y": 1}],
        color="var(--soft)",
        strokeDash=[4, 3],
    )
    ruler = {"scale": {"domain": [-0.04, 1.04], "nice": False}, "axis": {"format": ".6~g", "values": [0, 0.25, 0.5, 0.75, 1]}}
    names = (channel(f"{c}:N") for c in ("query", "text", "class"))
    channels = {
        "x": channel("x:Q", title="before", **ruler),
        "y": channel("y:Q", title="after", **ruler),
        "color": channel("verdict:N", scale={"domain": list(kinds), "range": list(kinds.values())}),
        "shape": channel("verdict:N", scale={"domain": list(shapes), "range": list(shapes.values())}),
        "tooltip": [*names, *(channel(f"{c}:Q", format=".3f") for c in ("before", "after"))],
    }
    return {"layer": [line, layer("point", channels, rows, filled=True, size=70, opacity=0.75)]}


def _nudge(i: int, step: int) -> float:
    """A shift too small to mislead, so that dots of equal value do not hide each other."""
    return ((i * step) % 11 - 5) * 0.004


def spread(figure: Figure) -> Spec:
    """Share of recalls done within so many ms, before and after."""
    axis = {"format": ".6~g", "labelOverlap": True, "tickCount": 6}
    channels = {
        **_sides(figure),
        "x": channel("ms:Q", title="ms", scale={"nice": False, "type": "log"}, axis=axis),
        "y": channel("share:Q", title=None, axis={"format": "%"}),
        "tooltip": [channel("side:N"), channel("ms:Q", format=".4~g"), channel("share:Q", format=".1%")],
    }
    return layer("line", channels, _rows(figure.data), strokeWidth=2, interpolate="step-after")


def _sides(figure: Figure) -> Spec:
    """Reference and current; a result without two sides is one solid line."""
    if len({row["side"] for row in figure.data}) < 2:
        return {"color": constant("var(--after)")}
    names = ["reference", "current"]
    return {
        "color": channel("side:N", scale={"domain": names, "range": ["var(--before)", "var(--after)"]}),
        "strokeDash": channel("side:N", scale={"domain": names, "range": [[6, 3], [1, 0]]}),
    }


def waterfall(figure: Figure) -> Spec:
    """Parts of a change in points, each from where the one before ended; the last bar is the whole."""
    order = [row["part"] for row in figure.data]
    channels = {
        "y": channel("part:N", sort=order, title=None, axis={"labelLimit": 170}),
        "x": channel("low:Q", title="change, points", axis={"labelExpr": "format(100 * datum.value, '+.3~g')", "tickCount": 5}),
        "x2": channel("high"),
        "color": either({"field": "effect", "lt": 0}, constant("var(--worse)"), "var(--better)"),
        "opacity": either("datum.is_total", constant(1), 0.7),
        "tooltip": [channel("part:N"), channel("points:Q", format="+.2f")],
    }
    bars = layer("bar", channels, _rows(figure.data), cornerRadius=2)
    bars["transform"] = [
        {"window": [{"op": "sum", "field": "effect", "as": "upto"}], "sort": [{"field": "order"}]},
        {"calculate": "100 * datum.effect", "as": "points"},
        {"calculate": "datum.is_total ? 0 : datum.upto - datum.effect", "as": "low"},
        {"calculate": "datum.is_total ? datum.effect : datum.upto", "as": "high"},
    ]
    return {"layer": [bars, layer("rule", {"x": channel("x:Q")}, [{"x": 0}], color="var(--soft)")]}


def heat(figure: Figure) -> Spec:
    """A metric by segment and window; viridis is read in grey and by every kind of colour vision."""
    axis = {"format": "%b %d", "labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 12, "title": None}
    legend = {"gradientLength": 160, "orient": "top", "title": None}
    tips = [channel("segment:N"), channel("value:Q", format=".4f"), channel("n:Q", title="recalls", format=",")]
    channels = {
        "x": channel("w:O", timeUnit="utcyearmonthdatehours", axis=axis),
        "y": channel("segment:N", title=None, sort=None, axis={"labelLimit": 200}),
        "color": channel("value:Q", scale={"scheme": "viridis"}, legend=legend),
        "tooltip": [_when(), *tips],
    }
    return layer("rect", channels, _rows(figure.data), stroke="var(--paper)", strokeWidth=1)


def depth(figure: Figure) -> Spec:
    """A metric against k, before and after."""
    values = [channel(f"{c}:Q", format=".4f") for c in ("value", "low", "high")]
    channels = {
        **_sides(figure),
        "x": channel("k:Q", title="k", axis={"format": "d", "values": sorted({row["k"] for row in figure.data})}),
        "y": channel("value:Q", title=None, scale={"zero": True}),
        "tooltip": [channel("side:N"), channel("k:Q"), *values, channel("n:Q", format=",")],
    }
    line = layer("line", channels, strokeWidth=2, point={"filled": True, "size": 60})
    return {"layer": [line], "data": _rows(figure.data)}


def means(figure: Figure) -> Spec:
    """A value a row with its interval, on the scale 0 to 1."""
    names = [row["name"] for row in figure.data]
    y = channel("name:N", sort=names, title=None, axis={"labelLimit": 200})
    scale = {"domain": [0, 1]}
    tips = [channel("name:N", title=""), *(channel(f"{c}:Q", format=".4f") for c in ("value", "low", "high"))]
    span = layer(
        "rule", {"y": y, "x": channel("low:Q", title=None, scale=scale), "x2": channel("high")}, color="var(--after)", strokeWidth=2
    )
    dot = {
        "y": y,
        "x": channel("value:Q", title=None, scale=scale),
        "tooltip": [*tips, channel("n:Q", title="recalls", format=",")],
    }
    return {"layer": [span, layer("point", dot, color="var(--after)", filled=True, opacity=1, size=70)], "data": _rows(figure.data)}


DRAW: Mapping[str, Callable[[Figure], Spec]] = {
    f.__name__: f for f in (trend, latency, dots, spread, waterfall, heat, depth, means, front, curve)
}
