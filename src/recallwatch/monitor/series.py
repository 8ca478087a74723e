"""A series of windows: each against the accepted ones before it, findings with a state, change points."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, UsageError
from ..base.verdicts import FAMILIES
from ..stats import change_points
from ..stats.closed_forms import among
from . import quality, sentences, windows
from .finding import Finding
from .result import Drift, iso

if TYPE_CHECKING:
    from .options import DriftWindows
    from .settings import Settings
    from .state import State
    from .stored_verdicts import Judge
    from .windows import Unit

SLACK_HOURS = 1  # a newest window whose last recall is this much earlier than in the others is incomplete


def units(extent: tuple[Any, ...], requested: DriftWindows) -> list[Unit]:
    """Every day or week of the log, from its first event's time to its last one's.

    Raises:
        InputError: events without timestamps only.
        UsageError: one window of the pair named and the other not.
    """
    if requested.reference is not None or requested.current is not None:
        missing = "--current" if requested.current is None else "--reference"
        raise UsageError(
            "one window is named, the other is not",
            where=missing,
            fix=f"Pass {missing} A..B, or leave both out and pass --window day",
        )
    first, last = extent
    if first is None:
        raise InputError("no event has a timestamp, so there are no windows", where="logs", fix="Pass --map timestamp=<path>")
    return windows.units_of(first, last, requested.window or "day", requested.zone)


def examine(state: State, requested: DriftWindows, settings: Settings, every: Sequence[Unit], judge: Judge) -> Drift:
    """The newest window against the accepted ones before it; with ``series`` every window, with states and change points."""
    filled = [unit for unit in every if state.total("n", unit.numbers)]
    notes = [f"no recalls from {iso(unit.start)} to {iso(unit.end)}" for unit in every if unit not in filled][:3]
    filled, note = _complete(state, filled, requested)
    notes += note
    if len(filled) < 2:
        fix = "Name them: --reference A..B --current C..D, or pass --incomplete"
        raise UsageError(f"{len(filled)} complete window in the log, two are needed", where="--window", fix=fix)
    results = _walk(judge, requested, settings, filled)
    verdicts = [(str(one.current["from"]), one.verdict) for one in results]
    if not requested.series:
        failed = sentences.failures(verdicts[:-1], "earlier window")
        notes += [f"{failed}; a failed window is no reference until it is accepted"] if failed else []
        return dataclasses.replace(results[-1], notes=tuple(notes))
    points = _change_points(state, settings, filled)
    failed = sentences.failures(verdicts, "window")
    headline = f"{results[-1].headline} {failed}." if failed else results[-1].headline
    return dataclasses.replace(
        results[-1], headline=headline, windows=tuple(results), change_points=tuple(points), notes=tuple(notes)
    )


def _complete(state: State, filled: list[Unit], requested: DriftWindows) -> tuple[list[Unit], list[str]]:
    """Leave out a newest window that is incomplete: its last recall comes much earlier in the window than the others' do.

    Raises:
        UsageError: only the newest window is requested, and it is incomplete.
    """
    if requested.incomplete or len(filled) < 3:
        return filled, []
    ends = [_last(state, unit) - unit.start for unit in filled]
    usual = sorted(ends[:-1])[len(ends[:-1]) // 4]  # three in four end later
    if ends[-1] + dt.timedelta(hours=SLACK_HOURS) >= usual:
        return filled, []
    text = f"the newest window {iso(filled[-1].start)} is incomplete: its last recall is {_hours(ends[-1])} after its start, the others' about {_hours(usual)}"
    if not requested.series:
        raise UsageError(text, where="--window", fix="Wait until it is over, or pass --incomplete")
    return filled[:-1], [text + "; it was left out"]


def _last(state: State, unit: Unit) -> dt.datetime:
    us = state.events["last_us"][among(state.events["day_no"], unit.numbers)].max()
    return dt.datetime.fromtimestamp(int(us) / 1e6, dt.UTC)


def _hours(delta: dt.timedelta) -> str:
    return f"{delta.total_seconds() / 3600:.1f} h"


def _walk(judge: Judge, requested: DriftWindows, settings: Settings, filled: Sequence[Unit]) -> list[Drift]:
    """Window after window; one that failed stays out of its family's reference unless it was accepted."""
    accepted = accepted_of(requested.accepted, requested.zone)
    references: dict[str, list[Unit]] = {family: [filled[0]] for family in FAMILIES}
    history: dict[Any, str] = {}
    results = []
    for unit in filled[1:]:
        refs = {family: reference(references[family], unit, settings, requested) for family in FAMILIES}
        refs["answers"] = references["answers"][-settings.max_reference :]  # a query's answer is the same on any day
        result = judge(refs, unit)
        results.append(_with_states(result, history, unit))
        for family, verdict in result.verdicts().items():
            is_out = verdict in (("warn", "fail") if family == "answers" else ("fail",))
            if not is_out or (unit.start, family) in accepted or (unit.start, None) in accepted:
                references[family].append(unit)
    return results


def reference(good: Sequence[Unit], unit: Unit, settings: Settings, requested: DriftWindows) -> list[Unit]:
    """The last accepted windows, of the same kind of day where enough of them are."""
    recent = list(good[-settings.max_reference :])
    same = [other for other in recent if windows.is_same_kind(other, unit, requested.zone)]
    return same if len(same) >= settings.min_history else recent


def accepted_of(given: Iterable[Any] | None, zone: Any) -> set[tuple[dt.datetime, str | None]]:
    """``accepted`` as (start, family or None = every family).

    Raises:
        UsageError: no window start, or no family.
    """
    starts: set[tuple[dt.datetime, str | None]] = set()
    for entry in given or ():
        start, family = (entry, None) if isinstance(entry, str) else (entry[0], entry[1])
        if family is not None and family not in FAMILIES:
            raise UsageError(f"unknown family {family!r}", where="accepted", fix=f"Known: {', '.join(FAMILIES)}")
        starts.add((windows.moment(str(start).replace("Z", "+00:00"), zone, where="accepted"), family))
    return starts


def _with_states(result: Drift, history: dict[Any, str], unit: Unit) -> Drift:
    """new, ongoing since, recovered: from the verdict of the window before on the same comparison."""
    now = iso(unit.start)
    findings: list[Finding] = []
    for finding in result.findings:
        key = finding.measured.key
        worse = finding.verdict == "fail" or (finding.verdict == "warn" and finding.family == "answers")
        if worse:
            finding.state, finding.since = ("ongoing", history[key]) if key in history else ("new", now)
            history[key] = finding.since or now
        elif key in history and finding.verdict != "insufficient":
            finding.state, finding.since = "recovered", now
            del history[key]
        findings.append(finding)
    since = min((f.since for f in findings if f.state in ("new", "ongoing") and f.since), default=None)
    headline = result.headline.replace(f"Since {now}", f"Since {since}", 1) if since else result.headline
    return dataclasses.replace(result, findings=tuple(findings), headline=headline)


def _change_points(state: State, settings: Settings, filled: Sequence[Unit]) -> list[dict[str, Any]]:
    """Change points of the within effect of each window against all of them pooled."""
    if len(filled) < settings.change_points_from:
        return []
    points = []
    for column in state.columns:
        pooled = state.sums(str(column), [n for unit in filled for n in unit.numbers])
        each = state.sums_each(str(column), [unit.numbers for unit in filled])
        values, queries = quality.shifts(pooled, each, settings.kappa)
        usable = np.nonzero(queries > 0)[0]
        points += [
            {
                "metric": str(column),
                "at": iso(filled[int(usable[p.place])].start),
                "before": p.before,
                "after": p.after,
                "p_value": p.p,
            }
            for p in change_points.find(values[usable])
            if abs(p.after - p.before) >= settings.floor_metric  # a certain trifle is no change, as in the tests of a window
        ]
    return points
