"""One window against its references: measured, decided, located, told in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.verdicts import overall
from . import attribution, decision, health, label_fit, latency, location, mix, quality, sentences
from .decomposition import decompose
from .result import Drift, iso
from .sides import Sides

if TYPE_CHECKING:
    from ..base.definition import Definition
    from .finding import Finding
    from .measurement import Measured
    from .settings import Settings
    from .state import State
    from .windows import Unit

MEASURES = {
    "quality": quality.measure,
    "latency": latency.measure,
    "mix": mix.measure,
    "labels": label_fit.measure,
    "health": health.measure,
}


def judge_window(
    found: State, definition: Definition, settings: Settings, refs: Mapping[str, Sequence[Unit]], current: Unit
) -> Drift:
    """One window against the reference of each family; what other windows the state holds changes nothing."""
    found = found.of(day for units in (*refs.values(), [current]) for unit in units for day in unit.numbers)
    sides = {family: Sides(found, refs[family], current, settings) for family in MEASURES}
    tests: list[Measured] = []
    for family, measure in MEASURES.items():
        tests += measure(sides[family])
    findings = decision.decide(tests, settings, history={family: side.has_history for family, side in sides.items()})
    location.fill(findings, sides)
    _doubt_labels(findings)
    verdict = overall([finding.to_row() for finding in findings])
    before = iso(refs["quality"][0].start) if refs["quality"] else iso(current.start)
    told = sentences.headline(findings, iso(current.start), attribution.coincidences(sides["quality"]), before)
    rows = tuple(decompose(found, column, *sides["quality"].days) for column in found.columns)
    return Drift(
        {**definition.options(), "fingerprint": definition.fingerprint},
        {**window_row(found, refs["quality"]), "windows": {family: spans(refs[family]) for family in ("quality", "latency")}},
        window_row(found, [current]),
        verdict,
        told,
        tuple(findings),
        rows,
    )


def _doubt_labels(findings: Sequence[Finding]) -> None:
    """Quality speaks through the labels: where these no longer fit, every quality sentence says so."""
    if any(f.family == "labels" and f.verdict == "fail" for f in findings):
        for found in findings:
            if found.family == "quality":
                found.reason += "; labels no longer represent the traffic"


def window_row(found: State, units: Sequence[Unit]) -> dict[str, Any]:
    """What a window holds."""
    days = [n for unit in units for n in unit.numbers]
    counts = {
        name: found.total(f"n_{name}" if name != "events" else "n", days) for name in ("events", "labelled", "error", "empty")
    }
    return {
        "from": iso(min(unit.start for unit in units)) if units else None,
        "to": iso(max(unit.end for unit in units)) if units else None,
        "events": counts["events"],
        "labelled_events": counts["labelled"],
        "error_events": counts["error"],
        "empty_rankings": counts["empty"],
        "days": len(days),
    }


def spans(units: Sequence[Unit]) -> list[list[str]]:
    """Windows as [from, to), ISO times: the reference of each family, which its own failures and acceptances shape."""
    return [[iso(unit.start), iso(unit.end)] for unit in units]
