"""What the protocol commands print: tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.errors import printable
from ..report.as_text import drawn
from ..report.sections import Section
from . import report
from .history import Step
from .model import Protocol
from .report import number
from .verify import Checked

COLOURS = {"VERIFIED": "bold green", "UNVERIFIED": "bold yellow", "BLOCKED": "bold red"}


def of_run(protocol: Protocol, document: Mapping[str, Any], where: str, *, only: Sequence[str] = (), blocked: str = "") -> str:
    """A results folder just written."""
    tables = [s for s in report.sections(protocol, document, only) if s.title not in ("Hashes (sha256)", "Facts of the run")]
    head = [
        (f"{document['status']}  {report.title(document)}", COLOURS[document["status"]]),
        (report.sentence(document, blocked), ""),
    ]
    return drawn(head, tables, [f"written to {where}: metrics.json, report.md, report.html, raw_retrievals.jsonl"])


def of_checks(checked: Sequence[Checked], refused: Sequence[str]) -> str:
    """Results folders looked at again: what does not hold of each, and the figures of those that may be quoted."""
    parts = []
    for one in checked:
        head = [(f"{one.status}  {one.name}  {report.title(one.document)}", COLOURS[one.status])]
        if one.status == "VERIFIED":
            tables = report.sections(one.source.protocol, one.now)[1:2]
            parts.append(drawn(head, tables, [f"{len(one.gates)} gates hold"]))
            continue
        bad = [(gate.name, report.SIGNS[gate.verdict], gate.what) for gate in one.gates if gate.verdict != "pass"]
        rows = ([("blocked", "FAIL", " ".join(one.blocked.split()))] if one.blocked else []) + bad
        held = len([gate for gate in one.gates if gate.verdict == "pass"])
        table = Section("", ("gate", "", "what"), rows, left=("", "what"))
        parts.append(drawn(head, [table], [f"{held} of {len(one.gates)} gates hold; no number of it is quoted"]))
    parts += [f"{printable(line)}\n" for line in refused]
    return "\n".join(parts)


def of_history(steps: Sequence[Step]) -> str:
    """One table over versions: each metric with its change against the version before."""
    rows = []
    for step in steps:
        first = True
        for name, row in step.rows.items():
            label = (step.checked.name, step.checked.status) if first else ("", "")
            rows.append((*label, name, number(row["value"]) + ("*" if row["truncated"] else ""), *_change(row)))
            first = False
    table = Section(
        "",
        ("results", "status", "metric", "value", "delta", "p (paired)", "worse / better", "band", ""),
        rows,
        left=("status", "metric", "band", ""),
    )
    notes = [f"{s.checked.name}: not compared with the one before it: {s.refused}" for s in steps if s.refused]
    notes += [
        f"{s.checked.name}: compared with {s.before.name}"
        for number_, s in enumerate(steps)
        if s.before is not None and s.before is not steps[number_ - 1].checked
    ]
    if any(row["truncated"] for step in steps for row in step.rows.values()):
        notes.append("* truncated: the lists are shorter than the metric's depth")
    return drawn([(verdict_line(steps), "bold")], [table], notes)


def _change(row: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    if row["delta"] is None:
        return "", "", "", "", ""
    p = "–" if row["p_value"] is None else "< .0001" if row["p_value"] < 0.0001 else f"{row['p_value']:.4f}".lstrip("0")
    moved = "–" if row["worse"] is None else f"{row['worse']} / {row['better']}"
    band = {None: "no band", True: "inside", False: "outside"}[row["is_inside"]]
    word = {"regression": "REGRESSION", "improved": "improved", "same": ""}[row["verdict"]]
    return f"{row['delta']:+.4f}", p, moved, band, word


def verdict_line(steps: Sequence[Step]) -> str:
    """The newest version's verdict, in a sentence."""
    newest = steps[-1]
    if newest.before is None:
        why = f" ({newest.refused})" if newest.refused else ""
        return f"{newest.checked.name}: nothing to compare with{why}"
    told = [
        f"{name} {row['delta']:+.4f}"
        for name, row in newest.rows.items()
        if row["verdict"] == newest.verdict and newest.verdict != "same"
    ]
    word = {"regression": "REGRESSION", "improved": "improved", "same": "no change beyond band and chance"}[newest.verdict]
    return f"{newest.checked.name} against {newest.before.name}: {word}{' (' + ', '.join(told[:4]) + ')' if told else ''}"
