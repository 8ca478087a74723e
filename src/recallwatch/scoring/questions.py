"""What people read of questions that several searches answer: what it took until the evidence was there, and what each hop brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.model import COUNT, NAME, Column, Section
from ..document.numbers import ms, plural, ratio, share, significant

Row = Mapping[str, Any]
UNITS = {
    "event": "recalls",
    "query": "queries",
    "trace": "questions, a trace each",
    "session": "questions, a session each",
}  # what a mean is over
FIGURES = {
    "searches": ("searches a question", significant),
    "searches_to_first": ("searches until the first evidence", significant),
    "searches_to_complete": ("searches until all evidence", significant),
    "ms_to_first": ("ms until the first evidence", ms),
    "ms_to_complete": ("ms until all evidence", ms),
    "tokens_to_first": ("tokens until the first evidence", significant),
    "tokens_to_complete": ("tokens until all evidence", significant),
    "wasted": ("searches that brought nothing new", share),
    "repeated": ("searches that asked the same again", share),
    "hop_recall": ("recall of hop", ratio),
}


def size_of(result: Row) -> str:
    """How many recalls there are, and of how many questions."""
    counts = result["counts"]
    recalls = plural(counts["events"], "recall")
    return f"{plural(counts['questions'], 'question')} in {recalls}" if "questions" in counts else recalls


def unit_of(result: Row) -> str:
    """What a mean counts."""
    return "questions" if "questions" in result["counts"] else "recalls"


def sections(result: Row, sides: Sequence[Row] = ()) -> list[Section]:
    """The figures over everything; none where each search is a question of its own.

    ``sides``: the same rows of each side of a comparison (``side``), whose means stand beside.
    """
    rows = [row for row in result.get("questions", []) if row["window"] is None and not row["segment"] and row["n"]]
    if not rows:
        return []
    means = {(row["side"], row["figure"], row["hop"]): row["mean"] for row in sides if not row["segment"]}
    names = list(dict.fromkeys(side for side, _figure, _hop in means))
    columns = [Column("figure", NAME), Column("n", COUNT), *(Column(name) for name in ("mean", *names, "p50", "p95", "max"))]
    note = (
        f"of {rows[0]['n_questions']:,} labelled questions with a relevant document; n = those whose evidence came, "
        "or that have labels of the hop; percentiles: nearest rank"
    )
    if names:
        note += f"; {' and '.join(names)}: means of the windows compared"
    of_sides = [[means.get((side, row["figure"], row["hop"])) for side in names] for row in rows]
    return [
        Section("Questions of several searches", columns, [_cells(row, of) for row, of in zip(rows, of_sides, strict=True)], [note])
    ]


def _cells(row: Row, of_sides: Sequence[float | None]) -> tuple[Any, ...]:
    name, shown = FIGURES[row["figure"]]
    if row["hop"] is not None:
        name = f"{name} {row['hop']}" + ("" if row["k"] is None else f" @{row['k']}")
    values = (row["mean"], *of_sides, *(row[key] for key in ("p50", "p95", "max")))
    return (name, row["n"], *("" if value is None else shown(value) for value in values))
