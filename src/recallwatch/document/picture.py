"""A result's charts as one picture, drawn without a browser: in a notebook, as SVG or as PNG."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from ..base.files import write_whole
from ..base.registry import known
from . import charts
from .as_html import visible
from .figure import Figure
from .palette import PALETTE

SCALE = 2.0  # pixels of an image to one of the page, for sharp text
SHARED = ("config", "background", "$schema", "autosize", "datasets")
KINDS = ("svg", "png")
WIDE, NARROW = 720, 480  # px of a still picture; a page shrinks it
IDS = re.compile(r' id="([^"<>]+)"')
REFERENCES = re.compile(r'( id="|url\(#|href="#)([^"<>)]+)(["\)])')
PLACES = re.compile(r' (?:d|transform)="[^"]*"')
DIGITS = re.compile(r"\d+\.\d{2,}")  # of a place; a tenth of a pixel is enough
COLOUR = re.compile(r"var\((--[a-z]+)\)")


class Picture:
    """Charts under each other; a notebook shows them.

    Args:
        figures: at least one.
    """

    def __init__(self, figures: Sequence[Figure]) -> None:
        self.figures = tuple(figures)

    def svg(self) -> str:
        """The picture as SVG."""
        return drawn(self.figures, "svg").decode()

    def save(self, path: str | Path) -> None:
        """Write it as a file: .svg or .png.

        Raises:
            UsageError: another kind of file, or one that cannot be written.
        """
        write_whole(Path(path), drawn(self.figures, kind_of(str(path), KINDS, where="save")))

    def _repr_html_(self) -> str:
        """What a notebook shows: an image, so that no text of a log becomes part of the page."""
        words = ". ".join(f"{figure.title}. {figure.summary}" for figure in self.figures)
        data = base64.b64encode(self.svg().encode()).decode()
        return f'<img alt="{escape(visible(words))}" src="data:image/svg+xml;base64,{data}" style="max-width:100%">\n'


def kind_of(name: str, kinds: Sequence[str], *, where: str) -> str:
    """The kind of picture a file's name asks for.

    Raises:
        UsageError: none we draw.
    """
    kind = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if kind not in kinds:
        raise UsageError(f"unknown kind of picture {name!r}", where=where, fix=known(kind, [f".{k}" for k in kinds]))
    return kind


def still(figure: Figure, drawn_before: dict[str, str]) -> str:
    """A figure as SVG inside of a page, for whoever blocks scripts: the page's colours, and the light ones where its style is blocked too.

    Its ids are its own on the page, and the same for the same data. Drawing takes a while: what shows the same is taken from
    ``drawn_before``, else added to it.
    """
    spec = charts.spec(figure)
    silent = {**spec["config"], "aria": False}  # the page says the figure's summary; a label for each mark would double its size
    spec = {**spec, "config": silent, "width": WIDE if figure.wide else NARROW}
    shown = hashlib.sha256(json.dumps([figure.name, spec]).encode()).hexdigest()
    if shown not in drawn_before:
        drawn_before[shown] = _still(figure, spec)
    return drawn_before[shown]


def _still(figure: Figure, spec: dict[str, Any]) -> str:
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(spec))
    svg = PLACES.sub(lambda match: DIGITS.sub(lambda number: f"{float(number[0]):.1f}", match[0]), svg)
    own = {name: f"{re.sub(r'[^A-Za-z0-9]+', '-', figure.name)}-{at}" for at, name in enumerate(dict.fromkeys(IDS.findall(svg)))}
    svg = REFERENCES.sub(lambda match: f"{match[1]}{own.get(match[2], match[2])}{match[3]}", svg)
    svg = COLOUR.sub(lambda match: f"var({match[1]}, {PALETTE[match[1]]})" if match[1] in PALETTE else match[0], svg)
    return svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)


def drawn(figures: Sequence[Figure], kind: str) -> bytes:
    """Figures under each other as one image, in the light palette."""
    import vl_convert

    specs = [charts.static(figure) for figure in figures]
    whole = {
        **{name: specs[0][name] for name in ("$schema", "config", "background")},
        "datasets": {name: rows for spec in specs for name, rows in spec.get("datasets", {}).items()},
        "vconcat": [{name: value for name, value in spec.items() if name not in SHARED} for spec in specs],
        "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
        "spacing": 30,
        "padding": 8,
    }
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(whole, scale=SCALE))
    return str(vl_convert.vegalite_to_svg(whole)).encode()
