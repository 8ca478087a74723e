"""One comparison, decided: what a drift result is made of, and the row of it that JSON, pages and sentences read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import DRIFT_TESTS
from .measurement import Measured


@dataclass
class Finding:
    """One comparison, decided.

    Args:
        measured: what it is about.
        verdict: ok, improved, warn, fail or insufficient.
        q: adjusted p; None where the family has no correction or the test did not run.
        ci: 95 % interval of the effect.
        mde: smallest effect the test would have seen four times in five.
        reason: one sentence.
        state, since: new, ongoing or recovered, and from which window on; set in a series.
    """

    measured: Measured
    verdict: str
    q: float | None = None
    ci: tuple[float | None, float | None] = (None, None)
    mde: float | None = None
    reason: str = ""
    state: str | None = None
    since: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """quality, latency, mix, labels or health."""
        return DRIFT_TESTS[self.measured.test].family

    def to_row(self) -> dict[str, Any]:
        """One finding, in the contract's order; full floats."""
        m = self.measured
        return {
            "family": self.family,
            "metric": m.metric,
            "k": m.k,
            "stage": m.stage,
            "quantile": m.quantile,
            "segment": dict(m.segment),
            "reference": finite(m.reference),
            "current": finite(m.current),
            "effect": finite(m.effect),
            "unit": DRIFT_TESTS[m.test].unit,
            "se": finite(m.se),
            "df": finite(m.df),
            "ci_low": finite(self.ci[0]),
            "ci_high": finite(self.ci[1]),
            "p_value": finite(m.p),
            "q_value": finite(self.q),
            "mde": finite(self.mde),
            "verdict": self.verdict,
            "state": self.state,
            "since": self.since,
            "provisional": m.provisional,
            "blocks": m.blocks,
            "reason": self.reason,
            "where": m.where,
            **self.extra.get("unjudged", {}),
            **({"kinds": m.extra["kinds"]} if m.extra.get("kinds") else {}),
        }


def finite(value: float | None) -> float | None:
    """A number JSON can hold."""
    return value if value is not None and value - value == 0 else None
