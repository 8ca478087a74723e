"""The model: a document has a headline, sections and notes; a section a table whose columns know alignment and unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import numbers


@dataclass(frozen=True)
class Unit:
    """What the cells of a column are.

    Args:
        show: value -> text.
        is_number: stands flush right, and sorts by its value on a page.
        wraps: may be broken into lines; a name or a number never is.
        is_verdict: a word of judgement, which a page colours.
        is_link: pairs (text, address or None), of which a page makes a link.
    """

    show: Callable[[Any], str]
    is_number: bool = True
    wraps: bool = False
    is_verdict: bool = False
    is_link: bool = False


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def between(show: Callable[[float | None], str]) -> Unit:
    """Pairs (low, high)."""
    return Unit(lambda pair: numbers.interval(pair[0], pair[1], show))


NAME = Unit(_text, is_number=False)
TEXT = Unit(_text, is_number=False, wraps=True)
LINK = Unit(lambda pair: _text(pair[0]), is_number=False, is_link=True)
VERDICT = Unit(_text, is_number=False, is_verdict=True)
FIGURE = Unit(_text)  # a number that is written already, or several in one cell
COUNT = Unit(numbers.count)
RATIO = Unit(numbers.ratio)
RATIO4 = Unit(numbers.ratio4)
DIFFERENCE = Unit(numbers.signed)
SHARE = Unit(numbers.share)
SIZE = Unit(numbers.significant)
MS = Unit(numbers.ms)
P = Unit(numbers.p_value)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Args:
        name: its head; the unit stands here where the cells do not have it (``p95, ms``).
        unit: what its cells are. A cell that is text already is shown as it is.
    """

    name: str
    unit: Unit = FIGURE

    def text(self, value: Any) -> str:
        """A cell as people read it."""
        return value if isinstance(value, str) else self.unit.show(value)


def heads(*columns: str | tuple[str, Unit]) -> list[Column]:
    """The columns of a table; a head alone is that of figures."""
    return [Column(head) if isinstance(head, str) else Column(*head) for head in columns]


@dataclass(frozen=True)
class Section:
    """A table with its title and what stands under it; without columns, lines alone.

    Args:
        title: empty = none.
        columns: the first is what a row is about.
        rows: a value a column, as it was measured: rounding is the column's.
        notes: lines under the table.
    """

    title: str
    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[Any]] = ()
    notes: Sequence[str] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def cells(self) -> list[tuple[str, ...]]:
        """The rows as people read them."""
        return [tuple(column.text(value) for column, value in zip(self.columns, row, strict=True)) for row in self.rows]

    def filled(self) -> Section:
        """Without the columns in which nothing stands."""
        cells = self.cells()
        shown = [at for at, _ in enumerate(self.columns) if any(row[at] for row in cells)]
        rows = [tuple(row[at] for at in shown) for row in self.rows]
        return Section(self.title, [self.columns[at] for at in shown], rows, self.notes)


@dataclass(frozen=True)
class Document:
    """What a result says to people, however it is drawn.

    Args:
        headline: the sentence read first.
        verdict: one word before it; empty = the result is no judgement.
        lead: lines under the headline: what was looked at, what to know before the numbers.
        paste: text at the end that is meant to be copied: never wrapped.
        sections: tables, the answer first; one without rows and notes is left out.
        notes: lines at the end: what the numbers stand on.
    """

    headline: str
    sections: Sequence[Section] = ()
    notes: Sequence[str] = ()
    verdict: str = ""
    lead: Sequence[str] = ()
    paste: str = ""

    @property
    def shown(self) -> list[Section]:
        """The sections that hold something."""
        return [section for section in self.sections if section.rows or (section.notes and not section.columns)]
