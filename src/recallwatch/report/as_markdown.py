"""Markdown tables for a pull request or a step summary."""

import html
from collections.abc import Sequence

from ..base.errors import printable
from ..scoring.result import Evaluation
from .sections import Section, foot, headline, sections


def render(result: Evaluation) -> str:
    """The same sections as the text, as GitHub-flavoured tables."""
    return written(headline(result), sections(result), foot(result))


def written(head: str, tables: Sequence[Section], below: Sequence[str]) -> str:
    """One line, tables, lines: the markdown of any command."""
    parts = [f"**{escaped(head)}**"]
    parts += [_table(section) for section in tables]
    parts.append("\n".join(f"- {escaped(line)}" for line in below))
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    align = ["---" if number == 0 or name in section.left else "---:" for number, name in enumerate(section.header)]
    lines = [section.header, align, *section.rows]
    table = "\n".join("| " + " | ".join(cell if line is align else escaped(cell) for cell in line) + " |" for line in lines)
    notes = "".join(f"\n\n{escaped(note)}" for note in section.notes)
    return f"### {escaped(section.title)}\n\n{table}{notes}"


def escaped(text: str) -> str:
    """Text that can neither end a cell nor become markup."""
    flat = printable(text)
    return "".join(f"\\{c}" if c in "\\|*_`[]~" else c for c in html.escape(flat, quote=False))
