"""report.md: a run in a pull request or a GitHub step summary. Short, the verdict first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document.as_markdown import escaped
from ..document.numbers import ms
from ..document.numbers import ratio as number
from ..scoring.document import column_name
from . import page
from .night import WORDS, Night, headline_columns

SIGNS = {"fail": "❌", "warn": "⚠️", "insufficient": "❔", "improved": "🔼", "ok": "✅", "pass": "✅"}


def files(night: Night) -> dict[str, bytes]:
    """The summary as a file."""
    return {"report.md": render(night).encode("utf-8", "backslashreplace")}


def render(night: Night) -> str:
    """GitHub-flavoured markdown; no text of the log can end a cell or become markup."""
    parts = [f"## {SIGNS[night.verdict]} {escaped(night.title)}: {WORDS[night.verdict].lower()}", escaped(night.headline)]
    if night.gate_sentence and night.gate_sentence != night.headline:
        parts.append(escaped(night.gate_sentence))
    parts += [escaped(note) for note in page.notes(night)]
    parts += [_table(title, header, rows) for title, header, rows in _tables(night) if rows]
    if night.changes:
        parts.append("### Since the last run\n\n" + "\n".join(f"- {escaped(line)}" for line in night.changes))
    parts.append(escaped(" · ".join(page.facts(night))))
    return "\n\n".join(parts) + "\n"


def _tables(night: Night) -> list[tuple[str, Sequence[str], list[list[str]]]]:
    gates = [[f"{SIGNS[g['verdict']]} {g['verdict']}", g["name"], g["limit"], g["seen"], g["reason"]] for g in page.gates(night)]
    findings = [
        [f"{SIGNS[f['verdict']]} {f['verdict']}", f["family"], f["what"], f["state"], f["why"]] for f in page.findings(night)
    ]
    lost = [[str(q["query"]), q["class"], q["before"][0], q["after"][0], q["lost"]] for q in page.losers(night)[:5]]
    return [
        ("Gates", ("", "gate", "wanted", "seen", "why"), gates),
        ("Findings", ("", "family", "what", "state", "why"), findings),
        ("Queries that carry the change", ("query", "class", "before", "after", "ids lost (rank)"), lost),
        ("Quality", ("metric", "reference", "current"), _quality(night)),
        ("Latency, ms", ("stage", "reference p50", "current p50", "reference p95", "current p95"), _latency(night)),
    ]


def _quality(night: Night) -> list[list[str]]:
    names = headline_columns(night.evaluation)
    cells: dict[tuple[str, str], Any] = {
        (row["side"], column_name(row)): row["value"] for row in night.sides.get("metrics", []) if not row["segment"]
    }
    if not cells:
        cells = {
            ("current", column_name(row)): row["value"]
            for row in night.evaluation["metrics"]
            if row["window"] is None and not row["segment"]
        }
    return [[name, number(cells.get(("reference", name))), number(cells.get(("current", name)))] for name in names]


def _latency(night: Night) -> list[list[str]]:
    rows = [row for row in night.sides.get("latency", []) if not row["segment"]]
    cache = "miss" if any(row["cache"] == "miss" for row in rows) else "all"
    cells = {(row["side"], row["stage"]): row for row in rows if row["cache"] == cache}
    stages = list(dict.fromkeys(stage for _, stage in cells))
    sides = ("reference", "current")
    return [
        [
            stage,
            *(ms(cells[side, stage][name]) if (side, stage) in cells else "–" for name in ("p50_ms", "p95_ms") for side in sides),
        ]
        for stage in stages
    ]


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(header), ["---"] * len(header), *rows]
    return f"### {title}\n\n" + "\n".join(
        "| " + " | ".join(cell if line is lines[1] else escaped(cell) for cell in line) + " |" for line in lines
    )
