"""What a comparison of windows returns, and the JSON other programs rely on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.verdicts import families
from ..base.version import __version__
from ..document.model import Document
from ..document.result import Result
from ..report.figures import of_drift
from ..report.finding_rows import by_window
from .document import document_of
from .finding import Finding

if TYPE_CHECKING:
    from ..document.figure import Figure


@dataclass(frozen=True)
class Drift(Result):
    """Two windows, or a series of them, compared.

    Args:
        definition: options of the metrics in force, with their fingerprint.
        reference, current: from, to, events and what else the window holds.
        verdict: ok, improved, warn, fail or insufficient.
        headline: one sentence.
        findings: every comparison, decided; in a series those of the newest window.
        decomposition: one row a tested metric.
        windows: in a series: one entry a window.
        change_points: in a series of 30 windows or more.
        causes: why, likely causes best first (causes.py); empty where nothing got worse.
        funnel: which stage loses relevant documents, on both sides (stage_losses.py); empty where quality did not move.
    """

    definition: Mapping[str, Any]
    reference: Mapping[str, Any]
    current: Mapping[str, Any]
    verdict: str
    headline: str
    findings: tuple[Finding, ...]
    decomposition: tuple[Mapping[str, Any], ...]
    windows: tuple[Drift, ...] | None = None
    change_points: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = field(default=())
    causes: tuple[Mapping[str, Any], ...] = ()
    funnel: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch drift -f json``, as Python values; a series has ``windows`` and ``change_points`` besides."""
        out: dict[str, Any] = {
            "tool": {"name": "recallwatch", "version": __version__},
            "definition": dict(self.definition),
            **self._body(),
        }
        if self.windows is not None:
            out["windows"] = [window._body() for window in self.windows]
            out["change_points"] = [dict(point) for point in self.change_points]
        if self.windows is not None or self.notes:
            out["notes"] = list(self.notes)
        return out

    def _body(self) -> dict[str, Any]:
        return {
            "reference": dict(self.reference),
            "current": dict(self.current),
            "verdict": self.verdict,
            "headline": self.headline,
            "causes": [dict(row) for row in self.causes],
            "findings": [finding.to_row() for finding in self.findings],
            "decomposition": [dict(row) for row in self.decomposition],
            "funnel": [dict(row) for row in self.funnel],
        }

    def verdicts(self) -> dict[str, str]:
        """Family -> its verdict."""
        return families([finding.to_row() for finding in self.findings])

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The findings, the parts of each change; of a series its windows, with the verdict of each family."""
        result = self.to_dict()
        return {name: result[name] for name in ("findings", "decomposition")} | {"windows": by_window(result)}

    def figures(self) -> list[Figure]:
        """What moved the mean; of a series the answers over time."""
        return of_drift(self.to_dict())

    def document(self) -> Document:
        """What it says to people."""
        return document_of(self.to_dict())
