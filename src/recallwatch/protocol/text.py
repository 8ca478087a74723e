"""What the protocol commands print: tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.model import DIFFERENCE, NAME, Document, P, Section, heads
from ..document.numbers import ratio4, signed
from . import report
from .history import Step
from .model import Protocol
from .requirements import Requirement
from .verify import Checked


def of_run(protocol: Protocol, document: Mapping[str, Any], where: str, *, only: Sequence[str] = (), blocked: str = "") -> Document:
    """A results folder just written."""
    tables = [s for s in report.sections(protocol, document, only) if s.title not in ("Hashes (sha256)", "Facts of the run")]
    return Document(
        report.title(document),
        tables,
        [f"written to {where}: metrics.json, report.md, report.html, raw_retrievals.jsonl"],
        verdict=document["status"],
        lead=[report.sentence(document, blocked)],
    )


def of_dry_run(protocol: Protocol, gates: Sequence[Requirement], where: str) -> Document:
    """What can be said of a run before it."""
    rows = [(gate.name, report.SIGNS[gate.verdict], gate.what) for gate in gates]
    bad = sum(gate.verdict != "pass" for gate in gates)
    lead = f"{bad} of {len(gates)} gates do not hold" if bad else "Every gate that can be judged before the run holds."
    note = f"nothing was scored or written; the run would write to {where}"
    return Document(f"{protocol.name} {protocol.version}: dry run", [report.gates_section(rows)], [note], lead=[lead])


def of_check(one: Checked) -> Document:
    """A results folder looked at again: what does not hold of it, and the figures where they may be quoted."""
    headline = f"{one.name}  {report.title(one.document)}"
    if one.status == "VERIFIED":
        tables = report.sections(one.source.protocol, one.now)[1:2]
        return Document(headline, tables, [f"{len(one.gates)} gates hold"], verdict=one.status)
    rows = [("blocked", "FAIL", " ".join(one.blocked.split()))] if one.blocked else []
    rows += [(gate.name, report.SIGNS[gate.verdict], gate.what) for gate in one.gates if gate.verdict != "pass"]
    passed = sum(gate.verdict == "pass" for gate in one.gates)
    notes = [f"{passed} of {len(one.gates)} gates hold; no number of it is quoted"]
    return Document(headline, [report.gates_section(rows, "")], notes, verdict=one.status)


def of_history(steps: Sequence[Step]) -> Document:
    """One table over versions: each metric with its change against the version before."""
    rows = []
    for step in steps:
        label = (step.checked.name, step.checked.status)
        for name, row in step.rows.items():
            rows.append((*label, name, ratio4(row["value"]) + ("*" if row["truncated"] else ""), *_change(row)))
            label = ("", "")
    columns = heads(
        *((name, NAME) for name in ("results", "status", "metric")),
        "value",
        ("delta", DIFFERENCE),
        ("p (paired)", P),
        "worse / better",
        ("band", NAME),
        ("", NAME),
    )
    notes = [f"{s.checked.name}: not compared with the one before it: {s.refused}" for s in steps if s.refused]
    notes += [
        f"{s.checked.name}: compared with {s.before.name}"
        for number, s in enumerate(steps)
        if s.before is not None and s.before is not steps[number - 1].checked
    ]
    if any(row["truncated"] for step in steps for row in step.rows.values()):
        notes.append("* truncated: the lists are shorter than the metric's k")
    return Document(verdict_line(steps), [Section("", columns, rows)], notes)


def _change(row: Mapping[str, Any]) -> tuple[Any, ...]:
    if row["delta"] is None:
        return "", "", "", "", ""
    moved = "–" if row["worse"] is None else f"{row['worse']} / {row['better']}"
    band = {None: "no band", True: "inside", False: "outside"}[row["is_inside"]]
    return row["delta"], row["p_value"], moved, band, {"same": ""}.get(row["verdict"], WORDS.get(row["verdict"], ""))


WORDS = {"regression": "REGRESSION", "improved": "improved", "same": "no change beyond band and chance"}


def verdict_line(steps: Sequence[Step]) -> str:
    """The newest version's verdict, in a sentence."""
    newest = steps[-1]
    if newest.before is None:
        why = f" ({newest.refused})" if newest.refused else ""
        return f"{newest.checked.name}: nothing to compare with{why}"
    moved = [
        f"{name} {signed(row['delta'])}"
        for name, row in newest.rows.items()
        if row["verdict"] == newest.verdict and newest.verdict != "same"
    ]
    which = f" ({', '.join(moved[:4])})" if moved else ""
    return f"{newest.checked.name} against {newest.before.name}: {WORDS[newest.verdict]}{which}"
