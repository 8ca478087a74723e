"""One window against its references: measure, decide, locate, and write the headline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.rows import iso
from ..base.verdicts import overall
from . import answers, attribution, causes, decision, health, label_fit, latency, location, mix, quality, sentences, unjudged
from .concentration import concentration
from .decomposition import decompose
from .finding import Finding
from .measurement import Measured
from .result import Drift
from .sides import Sides
from .stage_losses import stage_losses

if TYPE_CHECKING:
    from ..base.definition import Definition
    from .settings import Settings
    from .state import State
    from .windows import Unit

MEASURES = {
    "quality": quality.measure,
    "answers": answers.measure,
    "latency": latency.measure,
    "mix": mix.measure,
    "labels": label_fit.measure,
    "health": health.measure,
}
OF_LABELS = ("quality", "labels")  # families that nothing can be said of without labels


def judge_window(  # noqa: PLR0917  # the first three are bound once
    state: State,
    definition: Definition,
    settings: Settings,
    refs: Mapping[str, Sequence[Unit]],
    current: Unit,
    nightly: Collection[str] = (),
) -> Drift:
    """One window against the reference of each family; other windows in the state do not change the result."""
    state = state.of(day for units in (*refs.values(), [current]) for unit in units for day in unit.numbers)
    if not any(refs.values()):
        return _unjudged(state, definition, current)
    sides = {family: Sides(state, refs[family], current, settings) for family in MEASURES}
    tests: list[Measured] = []
    for family, measure in MEASURES.items():
        if refs[family] and (state.labels or family not in OF_LABELS):
            tests += measure(sides[family])
    history = {family: side.has_history for family, side in sides.items()}
    findings = decision.decide(tests, settings, history=history, nightly=nightly)
    unjudged.doubt(findings, sides["quality"], definition)
    location.fill(findings, sides)
    answers.locate(findings, sides["answers"])
    _doubt_labels(findings)
    funnel = stage_losses(findings, sides["quality"])
    verdict = overall([finding.to_row() for finding in findings])
    before = iso(next(units[0].start for units in refs.values() if units))
    headline = sentences.headline(
        findings, iso(current.start), attribution.coincidences(next(side for side in sides.values() if side.refs)), before
    )
    rows = tuple(
        decompose(state, column, *sides["quality"].days) for column in (state.columns if state.labels and refs["quality"] else ())
    )
    return Drift(
        definition.stated(),
        {**window_row(state, refs["quality"]), "windows": {family: spans(refs[family]) for family in ("quality", "latency")}},
        window_row(state, [current]),
        verdict,
        headline,
        tuple(findings),
        rows,
        causes=tuple(causes.name_causes(findings, sides["answers"], funnel, concentration(findings, sides["quality"]))),
        funnel=tuple(funnel),
    )


def _unjudged(state: State, definition: Definition, current: Unit) -> Drift:
    """A window that nothing is compared with."""
    volume = Finding(Measured("volume", "recalls_per_hour", blocks="days"), "insufficient")
    none = {**window_row(state, []), "windows": {"quality": [], "latency": []}}
    return Drift(definition.stated(), none, window_row(state, [current]), "insufficient", "", (volume,), ())


def _doubt_labels(findings: Sequence[Finding]) -> None:
    """Quality rests on the labels: where these no longer fit the traffic, every quality reason says so."""
    if any(f.family == "labels" and f.verdict == "fail" for f in findings):
        for finding in findings:
            if finding.family == "quality":
                finding.reason += "; labels no longer represent the traffic"


def window_row(state: State, units: Sequence[Unit]) -> dict[str, Any]:
    """Time span and counts of a window."""
    days = [n for unit in units for n in unit.numbers]
    counts = {
        name: state.total(f"n_{name}" if name != "events" else "n", days) for name in ("events", "labelled", "error", "empty")
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
    """Windows as [from, to), ISO times."""
    return [[iso(unit.start), iso(unit.end)] for unit in units]
