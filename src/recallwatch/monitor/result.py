"""What a comparison of windows returns, and the JSON other programs rely on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.version import __version__
from . import DRIFT_TESTS
from .decision import Finding


@dataclass(frozen=True)
class Drift:
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
            out["notes"] = list(self.notes)
        return out

    def _body(self) -> dict[str, Any]:
        return {
            "reference": dict(self.reference),
            "current": dict(self.current),
            "verdict": self.verdict,
            "headline": self.headline,
            "findings": [finding_row(f) for f in self.findings],
            "decomposition": [dict(row) for row in self.decomposition],
        }

    def verdicts(self) -> dict[str, str]:
        """Family -> its verdict."""
        from . import FAMILIES
        from .decision import verdict_of_family

        return {family: verdict_of_family(self.findings, family) for family in FAMILIES}

    def __str__(self) -> str:
        """The text a person reads."""
        from .text import render

        return render(self)


def finding_row(found: Finding) -> dict[str, Any]:
    """One finding, in the contract's order; full floats."""
    m = found.measured
    return {
        "family": found.family,
        "metric": m.metric,
        "k": m.k,
        "stage": m.stage,
        "quantile": m.quantile,
        "segment": dict(m.segment),
        "reference": finite(m.reference),
        "current": finite(m.current),
        "effect": finite(m.effect),
        "unit": DRIFT_TESTS[m.test].unit,
        "ci_low": finite(found.ci[0]),
        "ci_high": finite(found.ci[1]),
        "p_value": finite(m.p),
        "q_value": finite(found.q),
        "mde": finite(found.mde),
        "verdict": found.verdict,
        "state": found.state,
        "since": found.since,
        "provisional": m.provisional,
        "blocks": m.blocks,
        "reason": found.reason,
        "where": m.where,
    }


def finite(value: float | None) -> float | None:
    """A number JSON can hold."""
    return value if value is not None and value - value == 0 else None


def iso(at: dt.datetime) -> str:
    """ISO 8601 in UTC with Z."""
    return at.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
