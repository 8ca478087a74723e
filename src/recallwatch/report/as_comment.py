"""comment.md: a run as one comment on a pull request, found again by its first line and replaced by the next run."""

from __future__ import annotations

from collections.abc import Sequence

from ..document.as_markdown import escaped, table
from ..document.model import NAME, RATIO, Column, Section
from ..scoring.figures import trends
from . import as_summary
from .night import Night

MARK = "<!-- recallwatch -->"  # the first line of the comment; action.yml looks for it
LIMIT = 65_000  # characters GitHub takes, with some room
BARS = "▁▂▃▄▅▆▇█"
SHOWN = 30  # windows of a line of bars


def render(night: Night) -> str:
    """The summary, the metrics over time as bars; parts that do not fit are left out, the last ones first."""
    first, *others = as_summary.render(night).rstrip("\n").split("\n\n")
    parts = [f"{MARK}\n{first}", *others[:1], *_over_time(night), *others[1:]]
    note = "*Cut: report.md has the rest.*"
    if sum(len(part) + 2 for part in parts) > LIMIT:
        while len(parts) > 1 and sum(len(part) + 2 for part in (*parts, note)) > LIMIT:
            parts.pop()
        parts = [*(part[:LIMIT] for part in parts), note]
    return "\n\n".join(parts) + "\n"


def _over_time(night: Night) -> list[str]:
    rows = [
        (figure.name.removeprefix("trend-"), bars(values[-SHOWN:]), values[0], values[-1])
        for figure in trends(night.evaluation)
        if (values := [row["value"] for row in figure.data])
    ]
    columns = [Column("metric, by traffic", NAME), Column("windows", NAME), Column("first", RATIO), Column("newest", RATIO)]
    return [table(Section("", columns, rows))] if rows else []


def bars(values: Sequence[float | None]) -> str:
    """Values as bars between their smallest and largest; a window without one is a dot.

    Example:
        >>> bars([0.5, None, 0.75, 1.0])
        '▁·▅█'
    """
    there = [value for value in values if value is not None]
    low, span = min(there, default=0.0), (max(there, default=0.0) - min(there, default=0.0)) or 1.0
    return "".join("·" if value is None else BARS[round((value - low) / span * (len(BARS) - 1))] for value in values)


def failed(title: str, reason: str) -> str:
    """The comment of a run without a result."""
    return f"{MARK}\n## ❌ {escaped(title)}: no result\n\n{escaped(reason)}\n"
