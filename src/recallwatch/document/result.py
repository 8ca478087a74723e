"""What every result can do: a document for people and its drawings, frames, a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from ..base.errors import UsageError
from ..base.registry import known
from ..base.version import TOOL
from . import as_html, as_text
from .figure import Figure
from .frames import frame
from .model import Document
from .picture import Picture

if TYPE_CHECKING:
    import polars as pl


class Result(ABC):
    """A result of a command.

    Attributes:
        ABOUT: the table that it is about; "" = the first of its JSON.
    """

    ABOUT: ClassVar[str] = ""

    def __init_subclass__(cls, **more: Any) -> None:
        """A shell shows a result as ``print`` does, not as its fields."""
        super().__init_subclass__(**more)
        cls.__repr__ = Result.__str__  # type: ignore[method-assign,assignment]  # before dataclass would write one

    @abstractmethod
    def document(self) -> Document:
        """What it says to people."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the command; empty where no command writes it."""
        return {}

    def stated(self, *names: str) -> dict[str, Any]:
        """The JSON of some of its fields, after the tool's name."""
        return {"tool": dict(TOOL), **{name: getattr(self, name) for name in names}}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Name -> rows; the first is what the result is about."""
        found = {
            name: rows
            for name, rows in self.to_dict().items()
            if isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        }
        return {name: found[name] for name in sorted(found, key=lambda name: name != self.ABOUT)}

    def figures(self) -> list[Figure]:
        """Its charts, the answer first."""
        return []

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """A table of it as a Polars frame of plain columns, which sorts, joins and is written as it is.

        Args:
            table: its name; None = the first of ``tables()``.

        Raises:
            UsageError: there is no such table.
        """
        tables = self.tables()
        name = next(iter(tables), "") if table is None else table
        if not tables:
            raise UsageError("it has no table", where=type(self).__name__, fix="str() shows what it says")
        if name not in tables:
            raise UsageError(f"unknown table {table!r}", where=type(self).__name__, fix=known(name, tables))
        return frame(tables[name])

    def plot(self, *charts: str) -> Picture:
        """Charts of it as a picture: a notebook shows it, ``.save("name.svg")`` or ``.png`` writes it.

        Args:
            charts: names of ``figures()``; none = the first of each kind.

        Raises:
            UsageError: nothing of it can be drawn, or nothing of that name.
        """
        figures = {figure.name: figure for figure in self.figures()}
        if not figures:
            raise UsageError("nothing to draw", where=type(self).__name__, fix="str() and .to_polars() show what there is")
        for name in charts:
            if name not in figures:
                raise UsageError(f"unknown chart {name!r}", where=type(self).__name__, fix=known(name, figures))
        first = {figure.kind: figure.name for figure in reversed(figures.values())}
        return Picture([figures[name] for name in charts or sorted(first.values(), key=list(figures).index)])

    def __str__(self) -> str:
        """The text a person reads, as wide as the terminal."""
        return as_text.draw(self.document())

    def _repr_html_(self) -> str:
        """What a notebook shows: the first chart, and the tables."""
        figures = self.figures()[:1]
        return (Picture(figures)._repr_html_() if figures else "") + as_html.draw(self.document())
