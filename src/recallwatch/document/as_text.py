"""A document as text. A line is never cut: texts wrap, and columns that do not fit beside each other stand in blocks under each other."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..base.errors import printable
from .model import Column, Document, Section

WIDTH = 120  # where the output is no terminal: the same bytes on every machine
NARROWEST = 20  # below it nothing can be read, whatever a terminal says
GAP = "   "
MINIMUM = 16  # characters a text gets at least before a column moves into the next block
LONGEST = 40  # of a word that is not broken: an id of 36 characters stays whole in a text
WORDS = re.compile(r" (?!(?:%|ms|points|USD)(?:\W|$))")  # a number and its unit are one word
BOLD, DIM = "1", "2"
COLOURS = {
    "fail": "1;31",
    "warn": "1;33",
    "improved": "1;32",
    "ok": "1;32",
    "verified": "1;32",
    "unverified": "1;33",
    "blocked": "1;31",
}


@dataclass(frozen=True)
class Screen:
    """Where a text is shown.

    Args:
        width: characters of a line.
        is_styled: whether titles are bold and verdicts coloured.
    """

    width: int = WIDTH
    is_styled: bool = False

    def style(self, text: str, code: str) -> str:
        """The text in a style, where there are styles."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_styled and text and code else text


def screen(*, is_file: bool = False, is_styled: bool = False) -> Screen:
    """The terminal's width; COLUMNS where it is set; else, and for a file, always the same."""
    is_terminal = not is_file and sys.stdout is not None and sys.stdout.isatty()
    wanted = os.environ.get("COLUMNS", "")
    own = shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH
    width = int(wanted) if wanted.isdecimal() and int(wanted) else own
    return Screen(max(width, NARROWEST), is_styled and is_terminal and "NO_COLOR" not in os.environ)


def draw(document: Document, on: Screen | None = None) -> str:
    """The whole text, each line with its end."""
    on = on or screen()
    lines: list[str] = []
    verdict = document.verdict.upper()
    head = f"{verdict}  {document.headline}" if verdict else document.headline
    lines += [on.style(line, COLOURS.get(document.verdict.lower(), BOLD)) for line in wrapped(head, on.width) if head]
    lines += [line for text in document.lead for line in wrapped(text, on.width)]
    for section in document.shown:
        lines += [*([""] if lines else []), *_section(section, on)]
    if document.notes:
        lines += ["", *(on.style(line, DIM) for text in document.notes for line in wrapped(text, on.width))]
    if document.paste:
        lines += ["", *map(printable, document.paste.strip("\n").split("\n"))]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _section(section: Section, on: Screen) -> Iterator[str]:
    yield from (on.style(line, BOLD) for line in wrapped(section.title, on.width) if line)
    if section.columns:
        yield from _table(section, on)
    for note in section.notes:
        yield from (on.style(line, DIM) for line in wrapped(note, on.width, indent="  "))


def _table(section: Section, on: Screen) -> Iterator[str]:
    """Columns side by side as far as they fit, then in blocks, each with the names of its rows and without rows that are empty there."""
    header = [printable(name) for name in section.header]
    cells = [[printable(text) for text in row] for row in section.cells()]
    ways = [_width(column, [header[at], *(row[at] for row in cells)], on.width) for at, column in enumerate(section.columns)]
    keys = _keys(section.columns, [way.least for way in ways], cells, on.width)
    if _total([way.least for way in ways]) > on.width:
        ways = _fitted(section.columns, ways, keys, on.width)
    blocks = _blocks([way.least for way in ways], keys, on.width)
    for number, places in enumerate(blocks):
        if number:
            yield ""
        rows = cells if len(blocks) == 1 else [row for row in cells if any(row[at] for at in places[keys:])]
        widths = _widths([ways[at] for at in places], on.width)
        flush = [section.columns[at].unit.is_number for at in places]
        lines = [_row([row[at] for at in places], widths, flush) for row in (header, *rows)]
        yield from (on.style(line, BOLD) for line in lines[0])
        yield "─" * _total(widths)
        yield from (line for row in lines[1:] for line in row)


@dataclass(frozen=True)
class _Width:
    """Places a column wants, and the fewest it can do with."""

    natural: int
    least: int


def _width(column: Column, texts: Sequence[str], line: int) -> _Width:
    """A text may wrap between its words; a name or a number only where it is longer than a whole line."""
    natural = max(map(length, texts))
    if not column.unit.wraps:
        return _Width(natural, natural if natural <= line else min(LONGEST, line))
    word = max((length(word) for text in texts for word in text.split()), default=0)
    return _Width(natural, min(natural, max(MINIMUM, min(word, LONGEST))))


def _keys(columns: Sequence[Column], least: Sequence[int], cells: Sequence[Sequence[str]], line: int) -> int:
    """How many columns name a row in every block: all its names where they leave half of the line, else the fewest that tell rows apart."""
    named = next((at for at, column in enumerate(columns) if column.unit.is_number or column.unit.wraps), len(columns))
    if named == len(columns) or _total(least[:named]) <= line // 2:
        return max(1, named if named < len(columns) else 1)
    return next((keys for keys in range(1, named) if len({tuple(row[:keys]) for row in cells}) == len(cells)), max(1, named))


def _fitted(columns: Sequence[Column], ways: Sequence[_Width], keys: int, line: int) -> list[_Width]:
    """The columns such that the names of a row and any other column fit a line: long names are broken, then words of texts, then names; numbers never."""
    least = [way.least for way in ways]

    def room() -> int:
        return line - len(GAP) * keys - max(least[keys:], default=0)

    if sum(least[:keys]) > room():
        least = [one if columns[at].unit.is_number else min(one, LONGEST) for at, one in enumerate(least)]
    beside = max(MINIMUM, line - len(GAP) * keys - sum(least[:keys]))
    least = [min(one, beside) if at >= keys and columns[at].unit.wraps else one for at, one in enumerate(least)]
    while sum(least[:keys]) > room() and (widest := max(least[:keys])) > MINIMUM // 2:
        least[least.index(widest)] -= 1
    beside = max(MINIMUM, line - len(GAP) * keys - sum(least[:keys]))
    least = [min(one, beside) if at >= keys and not columns[at].unit.is_number else one for at, one in enumerate(least)]
    return [_Width(way.natural, fewest) for way, fewest in zip(ways, least, strict=True)]


def _blocks(least: Sequence[int], keys: int, line: int) -> list[list[int]]:
    """The columns of each block."""
    everything = list(range(len(least)))
    if _total(least) <= line:
        return [everything]
    blocks = [everything[:keys]]
    for at in everything[keys:]:
        if len(blocks[-1]) > keys and _total([least[i] for i in (*blocks[-1], at)]) > line:
            blocks.append(everything[:keys])
        blocks[-1].append(at)
    return blocks


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _widths(ways: Sequence[_Width], line: int) -> list[int]:
    """Of the room that is left each text gets as much as it needs, the one that needs least first."""
    widths = [way.least for way in ways]
    room = max(line - _total(widths), 0)
    needs = {at: way.natural - way.least for at, way in enumerate(ways) if way.natural > way.least}
    for number, at in enumerate(sorted(needs, key=lambda at: needs[at])):
        extra = min(needs[at], room // (len(needs) - number))
        widths[at] += extra
        room -= extra
    return widths


def _row(cells: Sequence[str], widths: Sequence[int], flush: Sequence[bool]) -> list[str]:
    """A row's lines."""
    parts = [[cell] if length(cell) <= width else wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for number in range(max(map(len, parts))):
        texts = [part[number] if number < len(part) else "" for part in parts]
        spaces = [" " * (width - length(text)) for text, width in zip(texts, widths, strict=True)]
        placed = [space + text if right else text + space for text, space, right in zip(texts, spaces, flush, strict=True)]
        lines.append(GAP.join(placed).rstrip())
    return lines


def length(text: str) -> int:
    """Places that a text takes on a line: two for each wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """A text in lines, broken at spaces; a word is broken only where it is longer than a line."""
    room = max(width - len(indent), 1)
    lines = [""]
    for word in WORDS.split(printable(text)):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if length(joined) <= room:
            lines[-1] = joined
            continue
        if lines[-1].strip():
            lines.append("")
        *whole, rest = folded(word, room)
        lines[-1:] = [*whole, rest]
    return [indent + line for line in lines]


def folded(word: str, room: int) -> list[str]:
    """A word in pieces of at most so many places."""
    pieces, width = [""], 0
    for character in word:
        wide = length(character)
        if width + wide > room and pieces[-1]:
            pieces.append("")
            width = 0
        pieces[-1] += character
        width += wide
    return pieces
