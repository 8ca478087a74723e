"""A document as GitHub-flavoured markdown; no text of a log can end a cell or become markup."""

from __future__ import annotations

import html

from ..base.errors import printable
from .model import Document, Section

SPECIAL = frozenset("\\|*_`[]~")


def draw(document: Document) -> str:
    """The headline, the sections as tables, the notes as a list."""
    verdict = f"{escaped(document.verdict)}: " if document.verdict else ""
    parts = [f"**{verdict}{escaped(document.headline)}**", *map(escaped, document.lead)]
    parts += [table(section) for section in document.shown]
    if document.notes:
        parts.append("\n".join(f"- {escaped(line)}" for line in document.notes))
    if document.paste:
        parts.append("\n".join(f"    {printable(line)}" for line in document.paste.strip("\n").split("\n")))
    return "\n\n".join(parts) + "\n"


def table(section: Section, level: int = 3) -> str:
    """A section under a heading of a level; numbers flush right."""
    parts = [f"{'#' * level} {escaped(section.title)}"] if section.title else []
    if section.columns:
        align = ["---:" if column.unit.is_number else "---" for column in section.columns]
        rows = [[escaped(cell) for cell in row] for row in (section.header, *section.cells())]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in (rows[0], align, *rows[1:])))
        parts += [escaped(note) for note in section.notes]
    elif section.notes:
        parts.append("\n".join(f"- {escaped(line)}" for line in section.notes))
    return "\n\n".join(parts)


def escaped(text: str) -> str:
    """Text that can neither end a cell nor become markup."""
    return "".join(f"\\{c}" if c in SPECIAL else c for c in html.escape(printable(text), quote=False))
