"""A document as a fragment of HTML: for a page's template, and for a notebook. Every text is escaped; no script, no style."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ..base.errors import printable
from .model import Column, Document, Section

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

SPACES = {ord("\n"): " ", ord("\t"): " "}
BADGES = {"fail": "fail", "warn": "warn", "improved": "improved", "ok": "ok", "pass": "ok"}  # verdict -> class of the style sheet


def draw(document: Document) -> str:
    """The whole fragment."""
    verdict = f"<strong>{shown(document.verdict.upper())}</strong> " if document.verdict else ""
    headline = [f"<p>{verdict}{shown(document.headline)}</p>"] if verdict or document.headline else []
    parts = [*headline, *(f"<p>{shown(line)}</p>" for line in document.lead)]
    parts += [f"<section><h3>{shown(s.title)}</h3>\n{table(s)}</section>" for s in document.shown]
    parts += [f"<p>{shown(line)}</p>" for line in document.notes]
    parts += [f"<pre>{escape(document.paste)}</pre>"] if document.paste else []
    return "\n".join(parts) + "\n"


def table(section: Section, *, is_sortable: bool = False) -> str:
    """A section's table, which scrolls where it is too wide, and its notes; a number carries its value, to sort by with the page's script."""
    parts = []
    if section.columns:
        is_cards = (
            is_sortable and sum(column.unit.wraps for column in section.columns) > 2
        )  # long texts: on a phone a row is a card
        kind = f' class="sortable{" cards" * is_cards}"' if is_sortable else ""
        labels = [f' data-l="{escape(visible(name))}"' if is_cards and place else "" for place, name in enumerate(section.header)]
        button = '<button type="button">{}</button>' if is_sortable else "{}"
        head = "".join(f'<th scope="col">{button.format(shown(name))}</th>' for name in section.header)
        body = "\n".join(
            "<tr>" + "".join(_cell(*cell) for cell in zip(section.columns, row, labels, strict=True)) + "</tr>"
            for row in section.rows
        )
        label = escape(visible(section.title or ", ".join(section.header)))
        parts.append(
            f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table{kind}>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
        )
    parts += [f'<p class="note">{shown(note)}</p>' for note in section.notes]
    return "\n".join(parts) + "\n"


def _cell(column: Column, value: Any, label: str) -> str:
    if column.unit.is_link and isinstance(value, tuple):
        return f'<td class="wrap"{label}>{link(*value)}</td>'
    text = shown(column.text(value))
    if column.unit.is_verdict and text:
        text = f'<span class="badge {BADGES.get(text.lower(), "insufficient")}">{text}</span>'
    if not column.unit.is_number:
        return f'<td class="wrap"{label}>{text}</td>' if column.unit.wraps else f"<td{label}>{text}</td>"
    sort = f' data-v="{value}"' if isinstance(value, int | float) else ""
    return f'<td class="n"{label}{sort}>{text}</td>'


def link(text: str, address: str | None) -> str:
    """A text that leads to an address, where there is one; the address is http, https or a place on the page."""
    if not address:
        return shown(text)
    return f'<a class="id" rel="noreferrer noopener" href="{escape(visible(address))}">{shown(text)}</a>'


def shown(value: object) -> str:
    """A text of any origin as HTML shows it."""
    return escape(visible(value), quote=False)


def visible(text: object) -> str:
    """A text on one line, as :func:`~recallwatch.base.errors.printable` shows it; line ends are spaces."""
    return printable(str(text).translate(SPACES))


def environment(*loaders: BaseLoader, **filters: Any) -> Environment:
    """Templates of pages, with those of documents: whatever a template shows is escaped, and visible."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: Any) -> Any:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("recallwatch.document")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    made.filters.update(filters)
    return made
