"""Tables for people: rich draws them, without colour where nobody sees it."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..base.errors import printable
from ..scoring.result import Evaluation
from .sections import Section, foot, headline, sections

WIDTH = 120  # where the output is no terminal: the same bytes on every machine


def render(result: Evaluation) -> str:
    """The text of ``recallwatch evaluate``."""
    return drawn(headline(result), sections(result), foot(result))


def drawn(head: str | Sequence[tuple[str, str]], tables: Sequence[Section], below: Sequence[str]) -> str:
    """One line (or several, each with its style), tables, lines: the text of any command."""
    is_terminal = sys.stdout.isatty()
    out = io.StringIO()
    console = Console(
        file=out,
        width=shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH,
        force_terminal=is_terminal,
        highlight=False,
    )
    for line, style in [(head, "bold")] if isinstance(head, str) else head:
        console.print(Text(printable(line), style=style))
    for section in tables:
        console.print()
        console.print(_table(section))
        for note in section.notes:
            console.print(Text(f"  {printable(note)}", style="dim"))
    console.print()
    for line in below:
        console.print(Text(printable(line), style="dim"))
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _table(section: Section) -> Table:
    table = Table(
        title=section.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    for number, name in enumerate(section.header):
        is_text = number == 0 or name in section.left
        table.add_column(
            Text(printable(name)),
            justify="left" if is_text else "right",
            overflow="fold",
            no_wrap=not is_text or name in section.whole,
        )
    for row in section.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table
