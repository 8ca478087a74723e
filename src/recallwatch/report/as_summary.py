"""report.md: a run in a pull request or a GitHub step summary. Short, the verdict first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.as_markdown import escaped, table
from ..document.model import MS, NAME, RATIO, TEXT, Column, Section
from ..scoring import questions
from ..scoring.columns import headline_columns
from ..scoring.document import column_name, whole
from . import page
from .night import WORDS, Night

SIGNS = {"fail": "❌", "warn": "⚠️", "insufficient": "❔", "improved": "🔼", "ok": "✅", "pass": "✅"}

LONGEST = 80  # of an example of a warning, characters
SIDES = ("reference", "current")
LOST = {"query": "query", "class": "class", "before": "before", "after": "after", "ids lost (rank)": "lost"}  # head -> key


def render(night: Night) -> str:
    """GitHub-flavoured markdown; no text of the log can end a cell or become markup."""
    parts = [f"## {SIGNS[night.verdict]} {escaped(night.title)}: {WORDS[night.verdict].lower()}", escaped(night.headline)]
    parts += [escaped(line) for line in (*page.causes(night), *page.notes(night))]
    parts += [table(section) for section in _sections(night) if section.rows]
    if warnings := night.evaluation["warnings"]:
        parts.append("### Worth knowing\n\n" + "\n".join(f"- {escaped(_warning(one))}" for one in warnings))
    if night.changes:
        parts.append("### Since the last run\n\n" + "\n".join(f"- {escaped(line)}" for line in night.changes))
    parts.append(escaped(" · ".join(page.facts(night))))
    return "\n\n".join(parts) + "\n"


def _warning(row: Mapping[str, Any]) -> str:
    examples = ", ".join(str(example)[:LONGEST] for example in row["examples"][:3])
    return f"{row['n']:,} {row['message']}{examples and ': '}{examples}"


def _sections(night: Night) -> list[Section]:
    gates = [(_sign(gate["verdict"]), *(gate[name] for name in ("name", "limit", "seen", "reason"))) for gate in page.gates(night)]
    findings = [
        (_sign(row["verdict"]), *(row[name] for name in ("family", "what", "state", "why"))) for row in page.findings(night)
    ]
    lost = [tuple(query[name] for name in LOST.values()) for query in page.losers(night)[:5]]
    return [
        Section("Gates", [Column(name, TEXT) for name in ("", "gate", "wanted", "seen", "why")], gates),
        Section("Findings", [Column(name, TEXT) for name in ("", "family", "what", "state", "why")], findings),
        Section("Queries that carry the change", [Column(name, TEXT) for name in LOST], lost),
        _quality(night),
        *questions.sections(night.evaluation, night.sides.get("questions", [])),
        _latency(night),
    ]


def _sign(verdict: str) -> str:
    return f"{SIGNS[verdict]} {verdict}"


def _quality(night: Night) -> Section:
    cells: dict[tuple[str, str], Any] = {
        (row["side"], column_name(row)): row["value"] for row in night.sides.get("metrics", []) if not row["segment"]
    } or {("current", column_name(row)): row["value"] for row in whole(night.evaluation["metrics"])}
    rows = [(name, *(cells.get((side, name)) for side in SIDES)) for name in headline_columns(night.evaluation)]
    return Section("Quality, by traffic", [Column("metric", NAME), *(Column(side, RATIO) for side in SIDES)], rows)


def _latency(night: Night) -> Section:
    rows = [row for row in night.sides.get("latency", []) if not row["segment"]]
    cache = "miss" if any(row["cache"] == "miss" for row in rows) else "all"
    cells = {(row["side"], row["stage"]): row for row in rows if row["cache"] == cache}
    pairs = [(name, side) for name in ("p50", "p95") for side in SIDES]
    columns = [Column("stage", NAME), *(Column(f"{side} {name}", MS) for name, side in pairs)]
    stages = dict.fromkeys(stage for _, stage in cells)
    table = [(stage, *(cells.get((side, stage), {}).get(f"{name}_ms") for name, side in pairs)) for stage in stages]
    return Section("Latency, ms, without cache hits" if cache == "miss" else "Latency, ms", columns, table)
