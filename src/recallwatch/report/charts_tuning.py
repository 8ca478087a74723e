"""Figures of `recallwatch pareto`: quality against price with the front and its knee; recall and precision by k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .figure import Figure

NAMED = 14  # variants that are all named in the picture; of more, the front's only
ROLES = {"knee": "var(--worse)", "front": "var(--after)", "dominated": "var(--soft)"}
SHAPES = {"knee": "diamond", "front": "circle", "dominated": "circle"}
SIDES = {"recall": "var(--after)", "precision": "var(--better)"}


def _data(rows: Any) -> Any:
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def front(figure: Figure) -> Any:
    """One point a variant; the steps are the best that can be had for a price, the bars 95 % intervals.

    ``figure.options``: x, y (titles), scale (log | linear), steps (rows x, y).
    """
    import altair as alt

    given = figure.options
    ruler = alt.Scale(type=given["scale"], nice=False, padding=24, zero=False)
    x = alt.X("x:Q", title=given["x"], scale=ruler, axis=alt.Axis(format=".6~g", tickCount=8, labelOverlap=True))
    y = alt.Y("y:Q", title=given["y"], scale=alt.Scale(zero=False, nice=True, padding=12), axis=alt.Axis(titlePadding=14))
    kinds, colours, shapes = list(ROLES), list(ROLES.values()), list(SHAPES.values())
    colour = alt.Color("role:N", scale=alt.Scale(domain=kinds, range=colours), sort=kinds, legend=alt.Legend(symbolOpacity=1))
    shown = ("variant", "role", "x", "y", "y_low", "y_high", "x_low", "x_high")
    base = alt.Chart(_data(figure.data))
    steps = alt.Chart(_data(given["steps"])).mark_line(interpolate="step-after", color="var(--after)", opacity=0.5).encode(x=x, y=y)
    points = base.mark_point(filled=True, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape("role:N", scale=alt.Scale(domain=kinds, range=shapes), sort=kinds),
        size=alt.condition("datum.role == 'knee'", alt.value(150), alt.value(60)),
        tooltip=[alt.Tooltip(f"{name}:{'N' if name in ('variant', 'role') else 'Q'}") for name in shown],
    )
    names = base.transform_filter("datum.label != ''").mark_text(
        align="left", angle=310, dx=9, dy=-2, color="var(--ink)", fontSize=11
    )
    up = base.mark_rule(opacity=0.35).encode(x=x, y=alt.Y("y_low:Q", title=given["y"]), y2="y_high:Q", color=colour)
    across = base.mark_rule(opacity=0.35).encode(x=alt.X("x_low:Q", title=given["x"]), x2="x_high:Q", y=y, color=colour)
    return alt.layer(steps, up, across, points, names.encode(x=x, y=y, text="label:N"))


def curve(figure: Figure) -> Any:
    """Recall and precision by k with their intervals; the dashed line is the suggested k. ``figure.options``: k (or None)."""
    import altair as alt

    ks = sorted({row["k"] for row in figure.data})
    x = alt.X("k:Q", title="k", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(values=ks, format="d", labelOverlap=True))
    sides = alt.Scale(domain=list(SIDES), range=list(SIDES.values()))
    base = alt.Chart(_data(figure.data)).encode(x=x, color=alt.Color("side:N", scale=sides, legend=alt.Legend(symbolOpacity=1)))
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=True))
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(filled=True, size=45)).encode(
        y=y, tooltip=["side:N", "k:Q", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "low", "high"))]
    )
    if figure.options["k"] is None:
        return alt.layer(band, line)
    at = alt.Chart(_data([{"k": figure.options["k"], "text": f"k = {figure.options['k']}"}])).encode(x=x)
    rule = at.mark_rule(strokeDash=[4, 3], color="var(--worse)", strokeWidth=1.5)
    name = at.mark_text(align="left", dx=5, baseline="top", color="var(--worse)", fontSize=12).encode(y=alt.value(0), text="text:N")
    return alt.layer(band, rule, line, name)
