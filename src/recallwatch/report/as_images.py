"""charts/*.svg and *.png: the main charts of a run, drawn without a browser."""

from __future__ import annotations

import re

import vl_convert

from ..document import charts
from ..document.figure import Figure
from ..document.picture import SCALE
from .figures import figures
from .night import Night

MAIN = ("queries", "causes", "trends", "segments")


def svg_files(night: Night) -> dict[str, bytes]:
    """One SVG a chart."""
    return {f"charts/{_name(figure)}.svg": vl_convert.vegalite_to_svg(charts.static(figure)).encode() for figure in _chosen(night)}


def png_files(night: Night) -> dict[str, bytes]:
    """One PNG a chart."""
    return {
        f"charts/{_name(figure)}.png": bytes(vl_convert.vegalite_to_png(charts.static(figure), scale=SCALE))
        for figure in _chosen(night)
    }


def _chosen(night: Night) -> list[Figure]:
    drawn = figures(night)
    return [
        *(figure for name in MAIN for figure in drawn[name]),
        *(figure for figure in drawn["latency"] if figure.name == "latency-total"),
    ]


def _name(figure: Figure) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", figure.name)
