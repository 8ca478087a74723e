"""What people read of questions that several searches answer: what it took until the evidence was there, and what each hop brought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.model import COUNT, NAME, TEXT, Column, Section
from ..document.numbers import ms, ratio, share, significant

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


def asked(result: Row) -> str:
    """How many recalls there are, and of how many questions."""
    recalls = f"{result['counts']['events']:,} recalls"
    return f"{result['counts']['questions']:,} questions in {recalls}" if "questions" in result["counts"] else recalls


def asked_for(result: Row) -> str:
    """What a mean counts."""
    return "questions" if "questions" in result["counts"] else "recalls"


def sections(result: Row) -> list[Section]:
    """The figures over everything; none where each search is a question of its own."""
    rows = [row for row in result.get("questions", []) if row["window"] is None and not row["segment"] and row["n"]]
    if not rows:
        return []
    columns = [Column("figure", NAME), Column("n", COUNT), *(Column(name, TEXT) for name in ("mean", "p50", "p95", "max"))]
    note = (
        f"of {rows[0]['n_questions']:,} labelled questions with a relevant document; n = those whose evidence came, "
        "or that have labels of the hop; percentiles: nearest rank"
    )
    return [Section("Questions of several searches", columns, [_cells(row) for row in rows], [note])]


def _cells(row: Row) -> tuple[Any, ...]:
    name, shown = FIGURES[row["figure"]]
    if row["hop"] is not None:
        name = f"{name} {row['hop']}" + ("" if row["k"] is None else f" @{row['k']}")
    return (name, row["n"], *("" if row[key] is None else shown(row[key]) for key in ("mean", "p50", "p95", "max")))
