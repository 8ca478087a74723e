"""One chart with the table behind it, and what every figure needs: days, digits, intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .numbers import ratio as number

DAY = "T00:00:00Z"


@dataclass(frozen=True)
class Figure:
    """One chart with the table behind it.

    Args:
        name: unique on the page; also the name of its image file.
        kind: function of charts.py that draws it.
        title: what it shows.
        summary: one sentence for who cannot see it.
        data: rows for the chart.
        marks: vertical lines: at, text.
        header, rows: the table; cells are (shown, sort value).
        wide: whether it takes the whole width.
    """

    name: str
    kind: str
    title: str
    summary: str
    data: Sequence[Mapping[str, Any]]
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    marks: Sequence[Mapping[str, Any]] = ()
    wide: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def day(window: str | None) -> str:
    """A window's start as people write it."""
    return str(window or "").removesuffix(DAY)


def fine(value: float | None) -> float | None:
    """As fine as a picture shows."""
    return None if value is None else float(f"{value:.6g}")


def bounds(row: Mapping[str, Any]) -> list[float | None]:
    """A metric's value and the ends of its interval."""
    return [row[name] for name in ("value", "ci_low", "ci_high")]


def interval(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a chart, with the number of recalls."""
    return {**dict(zip(("value", "low", "high"), map(fine, bounds(row)), strict=True)), "n": row["n"]}


def cell(value: float | None) -> tuple[str, float | None]:
    """A ratio as shown, with its value to sort by."""
    return number(value), value
