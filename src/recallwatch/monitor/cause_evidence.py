"""What causes are read from: findings, and what a changed night has in common (sql/5_drift/causes.sql)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .finding import Finding

Row = dict[str, Any]


@dataclass
class Evidence:
    """What causes are read from.

    Args:
        moved: findings that moved for the worse.
        findings: all of them.
        documents, lists: the one row of cause_documents and cause_lists; empty where answers were not compared.
        traits: what the documents gone share, best first.
        funnel: rows of the loss funnel of both sides; empty where it is not known.
        cell: the recalls that hold the loss of quality, a row of :func:`.concentration.concentration`; None = none do.
        named: the causes named so far: a rule yields to those before it.
    """

    moved: Sequence[Finding]
    findings: Sequence[Finding]
    documents: Row
    lists: Row
    traits: Sequence[Row]
    funnel: Sequence[Row] = ()
    cell: Row | None = None
    named: dict[str, Row] = field(default_factory=dict)

    def of(self, test: str, *, moved: bool = True, stage: str | None = None) -> Finding | None:
        """The first finding of a test, over everything; None = there is none."""
        for finding in self.moved if moved else self.findings:
            m = finding.measured
            if m.test == test and not m.segment and stage in (None, m.stage):
                return finding
        return None

    def has(self, *causes: str) -> bool:
        """Whether one of these causes is named already."""
        return not self.named.keys().isdisjoint(causes)

    def change(self, test: str) -> tuple[float, float] | None:
        """Reference and current value of a test that was made."""
        finding = self.of(test, moved=False)
        if finding is None or finding.measured.reference is None or finding.measured.current is None:
            return None
        return finding.measured.reference, finding.measured.current


def cause(name: str, sentence: str, families: Sequence[str], **more: Any) -> Row:
    """A row of ``causes``: its word, one sentence for people, the families whose verdict it explains, what it is about."""
    return {"cause": name, "sentence": sentence, "families": list(families), **more}
