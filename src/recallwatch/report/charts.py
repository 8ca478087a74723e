"""How a figure is drawn: one function a kind, all with Altair. Colours are names of the page's palette, so that one drawing serves light, dark and paper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..document.as_html import visible
from .charts_tuning import curve, front
from .palette import CONFIG, HEIGHT, MANY, PALETTE, VERDICTS

if TYPE_CHECKING:
    import altair as alt

    from .figure import Figure


def spec(figure: Figure) -> dict[str, Any]:
    """The figure as Vega-Lite, with the page's colours by name."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):  # a schema check of each piece takes longer than the drawing; tests/report does it once, of the whole
        chart = DRAW[figure.kind](figure)
        drawn = chart.properties(width="container", height=_height(figure)).configure().to_dict(validate=False)
    drawn["config"] = CONFIG
    drawn["autosize"] = {"type": "fit", "contains": "padding"}
    drawn["description"] = f"{figure.title}. {figure.summary}"
    return dict(_visible(drawn))


def _visible(value: Any) -> Any:
    """No text of a log can break an SVG."""
    if isinstance(value, dict):
        return {name: _visible(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_visible(inner) for inner in value]
    return visible(value) if isinstance(value, str) else value


def static(figure: Figure, *, width: int = 640) -> dict[str, Any]:
    """The same for an image: a fixed width and the light palette."""
    drawn = {
        **spec(figure),
        "width": width,
        "background": PALETTE["--paper"],
        "title": {"text": visible(figure.title), "anchor": "start"},
    }
    text = re.sub(r"var\((--[a-z]+)\)", lambda match: PALETTE[match[1]], json.dumps(drawn))
    return dict(json.loads(text))


def _height(figure: Figure) -> int:
    return (
        60 + 22 * len({row["segment"] for row in figure.data})
        if figure.kind == "heat"
        else 300
        if figure.kind in ("dots", "front")
        else HEIGHT
    )


def _data(rows: Any) -> alt.InlineData:
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def _time(**more: Any) -> alt.X:
    import altair as alt

    return alt.X(
        "w:T", scale=alt.Scale(type="utc"), axis=alt.Axis(title=None, format="%b %d", labelOverlap=True, tickCount=6), **more
    )


def _when() -> alt.Tooltip:
    import altair as alt

    return alt.Tooltip("w:T", timeUnit=alt.TimeUnitParams(unit="utcyearmonthdatehours"), format="%Y-%m-%d %H:%M", title="window")


def _marks(figure: Figure) -> list[Any]:
    import altair as alt

    if not figure.marks:
        return []
    base = alt.Chart(_data({"w": mark["at"], "text": mark["text"]} for mark in figure.marks))
    return [
        base.mark_rule(strokeDash=[4, 3], color="var(--soft)", strokeWidth=1.5).encode(
            x=_time(), tooltip=[_when(), alt.Tooltip("text:N", title="changed")]
        )
    ]


def _points(names: list[Any], y: str, n: int) -> Any:
    """A dot a window: filled, large and of another shape where the window was flagged."""
    import altair as alt

    colour = alt.Color("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=list(VERDICTS.values())), legend=None)
    flagged = alt.FieldOneOfPredicate(field="verdict", oneOf=list(VERDICTS))
    return (
        alt.Chart()
        .mark_point(filled=True, opacity=1)
        .encode(
            x=_time(),
            y=y,
            size=alt.condition(flagged, alt.value(90 if n <= MANY else 45), alt.value(30 if n <= MANY else 8)),
            shape=alt.condition(flagged, alt.value("triangle-down"), alt.value("circle")),
            color=alt.condition(flagged, colour, alt.value("var(--after)")),
            tooltip=[_when(), *names],
        )
    )


def trend(figure: Figure) -> Any:
    """A metric over windows with its interval; flagged windows are triangles."""
    import altair as alt

    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True))
    band = alt.Chart().mark_area(opacity=0.18, color="var(--after)").encode(x=_time(), y=alt.Y("low:Q", title=None), y2="high:Q")
    line = alt.Chart().mark_line(color="var(--after)", strokeWidth=2).encode(x=_time(), y=y)
    tips = [alt.Tooltip(f"{c}:Q", format=".4f", title=t) for c, t in (("value", figure.title), ("low", "from"), ("high", "to"))]
    dots = _points([*tips, alt.Tooltip("n:Q", title="recalls", format=","), alt.Tooltip("verdict:N")], "value:Q", len(figure.data))
    return alt.layer(*_marks(figure), band, line, dots, data=_data(figure.data))


def latency(figure: Figure) -> Any:
    """P50 and p95 of a stage over windows; the band is p95's interval."""
    import altair as alt

    title = alt.Y("p95:Q", title="ms", scale=alt.Scale(zero=True, nice=True))
    band = alt.Chart().mark_area(opacity=0.18, color="var(--after)").encode(x=_time(), y=alt.Y("low:Q", title="ms"), y2="high:Q")
    high = alt.Chart().mark_line(color="var(--after)", strokeWidth=2).encode(x=_time(), y=title)
    low = alt.Chart().mark_line(color="var(--before)", strokeWidth=2, strokeDash=[6, 3]).encode(x=_time(), y="p50:Q")
    tips = [alt.Tooltip(f"{c}:Q", format=".4~g", title=f"{c} ms") for c in ("p50", "p95")]
    dots = _points([*tips, alt.Tooltip("n:Q", title="recalls", format=","), alt.Tooltip("verdict:N")], "p95:Q", len(figure.data))
    return alt.layer(*_marks(figure), band, low, high, dots, data=_data(figure.data))


def dots(figure: Figure) -> Any:
    """One dot per query: before across, after upwards; under the line = worse."""
    import altair as alt

    kinds = {"worse": "var(--worse)", "better": "var(--better)", "same": "var(--soft)"}
    shapes = {"worse": "triangle-down", "better": "triangle-up", "same": "circle"}
    rows = [{**row, "x": row["before"] + _nudge(i, 3), "y": row["after"] + _nudge(i, 7)} for i, row in enumerate(figure.data)]
    scale = alt.Scale(domain=[-0.04, 1.04], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".6~g")
    line = (
        alt.Chart(_data([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        .mark_line(color="var(--soft)", strokeDash=[4, 3])
        .encode(x="x:Q", y="y:Q")
    )
    points = (
        alt.Chart(_data(rows))
        .mark_point(filled=True, size=70, opacity=0.75)
        .encode(
            x=alt.X("x:Q", title="before", scale=scale, axis=axis),
            y=alt.Y("y:Q", title="after", scale=scale, axis=axis),
            color=alt.Color("verdict:N", scale=alt.Scale(domain=list(kinds), range=list(kinds.values()))),
            shape=alt.Shape("verdict:N", scale=alt.Scale(domain=list(shapes), range=list(shapes.values()))),
            tooltip=[
                alt.Tooltip("query:N"),
                alt.Tooltip("text:N"),
                alt.Tooltip("class:N"),
                alt.Tooltip("before:Q", format=".3f"),
                alt.Tooltip("after:Q", format=".3f"),
            ],
        )
    )
    return alt.layer(line, points)


def _nudge(i: int, step: int) -> float:
    """A shift too small to mislead, so that dots of equal value do not hide each other."""
    return ((i * step) % 11 - 5) * 0.004


def spread(figure: Figure) -> Any:
    """Share of recalls done within so many ms, before and after."""
    import altair as alt

    return (
        _sides(alt.Chart(_data(figure.data)))
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=alt.X(
                "ms:Q",
                title="ms",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(format=".6~g", labelOverlap=True, tickCount=6),
            ),
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%")),
            tooltip=[alt.Tooltip("side:N"), alt.Tooltip("ms:Q", format=".4~g"), alt.Tooltip("share:Q", format=".1%")],
        )
    )


def _sides(chart: Any) -> Any:
    import altair as alt

    names = ["reference", "current", "all"]
    colours = alt.Scale(domain=names[:2], range=["var(--before)", "var(--after)"])
    strokes = alt.Scale(domain=names[:2], range=[[6, 3], [1, 0]])
    return chart.encode(color=alt.Color("side:N", scale=colours), strokeDash=alt.StrokeDash("side:N", scale=strokes))


def waterfall(figure: Figure) -> Any:
    """Parts of a change, each from where the one before ended; the last bar is the whole."""
    import altair as alt

    order = [row["part"] for row in figure.data]
    stacked = (
        alt.Chart(_data(figure.data))
        .transform_window(upto="sum(effect)", sort=[{"field": "order"}])
        .transform_calculate(
            low="datum.is_total ? 0 : datum.upto - datum.effect", high="datum.is_total ? datum.effect : datum.upto"
        )
    )
    fall = alt.FieldLTPredicate(field="effect", lt=0)
    bars = stacked.mark_bar(cornerRadius=2).encode(
        y=alt.Y("part:N", sort=order, title=None, axis=alt.Axis(labelLimit=170)),
        x=alt.X("low:Q", title="change", axis=alt.Axis(format="+.3~p", tickCount=5)),
        x2="high:Q",
        color=alt.condition(fall, alt.value("var(--worse)"), alt.value("var(--better)")),
        opacity=alt.condition("datum.is_total", alt.value(1), alt.value(0.7)),
        tooltip=[alt.Tooltip("part:N"), alt.Tooltip("effect:Q", format="+.4f")],
    )
    zero = alt.Chart(_data([{"x": 0}])).mark_rule(color="var(--soft)").encode(x="x:Q")
    return alt.layer(bars, zero)


def heat(figure: Figure) -> Any:
    """A metric by segment and window; viridis is read in grey and by every kind of colour vision."""
    import altair as alt

    return (
        alt.Chart(_data(figure.data))
        .mark_rect(stroke="var(--paper)", strokeWidth=1)
        .encode(
            x=alt.X(
                "w:O",
                timeUnit="utcyearmonthdatehours",
                axis=alt.Axis(title=None, format="%b %d", labelAngle=0, labelOverlap="greedy", labelSeparation=12),
            ),
            y=alt.Y("segment:N", title=None, sort=None, axis=alt.Axis(labelLimit=160)),
            color=alt.Color(
                "value:Q", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(orient="top", title=None, gradientLength=160)
            ),
            tooltip=[
                _when(),
                alt.Tooltip("segment:N"),
                alt.Tooltip("value:Q", format=".4f"),
                alt.Tooltip("n:Q", title="recalls", format=","),
            ],
        )
    )


def depth(figure: Figure) -> Any:
    """A metric against k, before and after."""
    import altair as alt

    base = _sides(alt.Chart(_data(figure.data))).encode(
        x=alt.X("k:Q", title="k", axis=alt.Axis(values=sorted({row["k"] for row in figure.data}), format="d"))
    )
    tips = [
        alt.Tooltip("side:N"),
        alt.Tooltip("k:Q"),
        *(alt.Tooltip(f"{c}:Q", format=".4f") for c in ("value", "low", "high")),
        alt.Tooltip("n:Q", format=","),
    ]
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(filled=True, size=60)).encode(
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=True)), tooltip=tips
    )
    return alt.layer(line)


DRAW: Mapping[str, Callable[[Figure], Any]] = {
    f.__name__: f for f in (trend, latency, dots, spread, waterfall, heat, depth, front, curve)
}
