"""report.html: one file that needs no network. Texts are escaped by the template; the charts' data are JSON that no text can end."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import PackageLoader
from markupsafe import Markup

from ..base.verdicts import FAMILIES, MOVED
from ..document import charts, palette
from ..document.as_html import draw, environment, table, visible
from ..document.model import Document, Section
from ..document.picture import still
from ..scoring.questions import unit_of
from . import page, why
from .figures import figures
from .flags import all_marks
from .night import WORDS, Night, short
from .vega import script

SECTIONS = (
    (
        "answers",
        "Answers to the same queries",
        "Without any label: do queries get the documents they got before? Other answers are not worse answers. The band is where 19 of 20 usual windows lie.",
    ),
    (
        "queries",
        "Queries, before and after",
        "One dot is one labelled query. On the line nothing changed; under it the query got worse.",
    ),
    (
        "causes",
        "What moved the mean",
        "The change of the mean, decomposed: a change of traffic mix, or other answers to the same queries. Only the latter is the retriever.",
    ),
    (
        "trends",
        "Quality over time",
        "The band is a 95 % interval for other queries like these. Triangles are flagged windows, dashed lines changes of index, variant or labels.",
    ),
    ("latency", "Speed, per stage", "p95 solid, p50 dashed, without cache hits."),
    ("segments", "Segments", "The darker, the lower."),
    ("depth", "How deep to look", "What a longer list would find, and what it would cost in precision."),
)
BEHIND = {"quality": "queries", "answers": "answers", "latency": "latency"}  # family -> the section that shows what moved
SHOWN = 400  # characters of a text on the page; the JSON has it whole


def render(night: Night) -> str:
    """The page."""
    drawn = figures(night)
    specs = {figure.name: charts.spec(figure) for group in drawn.values() for figure in group}
    filters = {"text": _text, "cell": _cell, "filled": _filled, "section": _section, "document": _document}
    text = environment(PackageLoader("recallwatch.report"), **filters).get_template("report.html.j2")
    nonce = hashlib.sha256(repr((night.headline, specs)).encode()).hexdigest()[:32]  # data-made: the same run gives the same bytes
    return text.render(
        night=night,
        words=WORDS,
        glyphs=page.GLYPHS,
        families=[family for family in FAMILIES if any(row[family] for row in page.strip(night))],
        sections=[(name, title, caption, drawn[name]) for name, title, caption in SECTIONS if drawn[name]],
        behind={family: place for family, place in BEHIND.items() if drawn[place]},
        moved=MOVED,
        specs=specs,
        stills={figure.name: Markup(still(figure, night.stills)) for group in drawn.values() for figure in group},  # noqa: S704  # Vega escapes every text
        marks=[(short(mark["at"]), mark["text"]) for mark in all_marks(night)],
        bundle=script() if specs else "",
        nonce=nonce,
        palette=palette.PALETTE,
        **{name: getattr(page, name)(night) for name in PARTS},
        asked=unit_of(night.evaluation),
        why=why.documents(night),
    )


PARTS = (
    "facts", "causes", "notes", "gates", "findings", "strip", "losers", "changed", "gone", "funnel", "shown", "worst", "quality",
    "label_health", "carried", "counts", "definition", "latency_now",
)  # fmt: skip


def _section(section: Section) -> Markup:
    """A section's table, sorted by a click on a head."""
    return Markup(table(section, is_sortable=True))  # noqa: S704  # every text in it is escaped


def _document(document: Document) -> Markup:
    """A document's lead, tables and notes."""
    return Markup(draw(dataclasses.replace(document, headline="")))  # noqa: S704  # every text in it is escaped


def _text(value: object) -> str:
    """A text on one line, cut."""
    text = visible(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _cell(value: Any) -> tuple[str, Any]:
    """(shown, sort value or None)."""
    return (str(value[0]), value[1]) if isinstance(value, tuple) else (str(value), None)


def _filled(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Keys that some row has something under: the columns worth a place."""
    return {key for row in rows for key, value in row.items() if value}
