"""A series of windows: each against the accepted ones before it, findings with a state, change points."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, UsageError
from ..base.rows import iso
from ..base.verdicts import FAMILIES, overall
from ..document.numbers import plural
from ..stats import change_points
from . import baseline, quality, sentences, unjudged, usual_traffic, windows
from .accepted import Accepted
from .finding import Finding
from .nights import Nights
from .result import Drift
from .sides import Sides

if TYPE_CHECKING:
    from ..base.definition import Definition
    from .options import DriftWindows
    from .settings import Settings
    from .state import State
    from .stored_verdicts import Judge
    from .unjudged import Estimate
    from .usual_traffic import Traffic
    from .windows import Unit

LONG = 2  # times the history from which on a series alarms as rarely as its budget says
NONE_BEFORE = "no window before it that it could be compared with"
OF_LISTS = ("quality", "answers", "labels")  # families that compare lists


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
    every = windows.units_of(first, last, requested.window or "day", requested.zone)
    if not requested.incomplete:
        return every
    length = dt.timedelta(hours=1 + (last - every[-1].start) // dt.timedelta(hours=1))
    return [unit.until(length) for unit in every]  # a part of a window is compared with the same part of the others


def examine(
    state: State, requested: DriftWindows, settings: Settings, every: Sequence[Unit], *, judge: Judge, definition: Definition
) -> Drift:
    """The newest window against the accepted ones before it; with ``series`` every window, with states and change points."""
    filled, notes = usual_traffic.complete(state, every, requested, settings)
    if len(filled) < 2:
        fix = "Name them: --reference A..B --current C..D, or pass --incomplete"
        text = "; ".join([f"{plural(len(filled), 'complete window')} in the log, two are needed", *notes])
        raise UsageError(text, where="--window", fix=fix)
    doubt = partial(_doubt, state, settings, definition)
    results = _walk(judge, requested, settings, filled, traffic=usual_traffic.Traffic(state, settings, filled), doubt=doubt)
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


def _doubt(  # noqa: PLR0917  # the first three are bound once
    state: State,
    settings: Settings,
    definition: Definition,
    refs: Sequence[Unit],
    unit: Unit,
    findings: Sequence[Finding],
    sizes: Mapping[Any, Estimate],
    onset: dt.datetime,
) -> None:
    """What unjudged documents could do to changes that nights together show, against the windows before the onset."""
    if findings[0].family == "quality":
        refs = [one for one in refs if one.start < onset] or refs
        state = state.of(day for one in (*refs, unit) for day in one.numbers)
        unjudged.doubt(findings, Sides(state, refs, unit, settings), definition, sizes)


def _walk(
    judge: Judge,
    requested: DriftWindows,
    settings: Settings,
    filled: Sequence[Unit],
    *,
    traffic: Traffic,
    doubt: Callable[..., None],
) -> list[Drift]:
    """Window after window; one that failed stays out of its family's reference unless it was accepted.

    A window with next to no traffic is not judged, and judges no other.
    """
    accepted = accepted_of(requested.accepted, requested.zone)
    references: dict[str, list[Unit]] = {family: [] for family in FAMILIES}
    history: dict[Any, str] = {}
    nights, base, guarded = Nights(settings), baseline.pinned(requested, filled), set(baseline.GUARDED)
    results = []
    for i, unit in enumerate(filled):
        decided = {f: one for f in FAMILIES if (one := accepted.get((unit.start, f), accepted.get((unit.start, None))))}
        for family in [family for family, one in decided.items() if one.from_here]:  # nothing before it is a reference any more
            references[family] = []
            nights.forget(family)
            if base and unit.start >= base[-1].end:  # nor is the baseline
                guarded.discard(family)
        usual = traffic.usual(unit, filled[:i])
        good = {family: [one for one in references[family] if traffic.is_enough(one, usual)] for family in FAMILIES}
        refs = {family: reference(good[family], unit, settings) for family in FAMILIES}
        refs["answers"] = good["answers"][-settings.max_reference :]  # a query's answer is the same on any day
        lack = NONE_BEFORE if traffic.is_enough(unit, usual) else traffic.lack(unit, usual)
        if lack != NONE_BEFORE or not any(refs.values()):
            if i:
                results.append(_unjudged(judge(dict.fromkeys(FAMILIES, ()), unit, ()), lack))
            for family in FAMILIES if lack == NONE_BEFORE else ():
                references[family].append(unit)
            continue
        is_long = {family: len(some) >= LONG * settings.min_history for family, some in good.items()}
        single = judge(refs, unit, frozenset(family for family in FAMILIES if is_long[family]))
        single = _mildly(single, len(refs["quality"]), settings)
        result, begun = nights.watch(single, unit, is_long, partial(doubt, refs["quality"], unit))
        for family, start in begun.items():  # what nights together show was there before it was seen
            references[family] = [one for one in references[family] if one.start < start.start] or references[family]
        result = baseline.guard(result, judge, base, unit, settings=settings, families=guarded) if base else result
        result = _with_accepted(result, decided)
        results.append(_with_states(result, history, unit))
        has_other_lists = any(finding.measured.test == "list_depth" and finding.measured.is_large for finding in result.findings)
        for family, verdict in result.verdicts().items():
            is_out = verdict in (("warn", "fail") if family == "answers" else ("fail",))
            is_out |= has_other_lists and family in OF_LISTS
            if not is_out or family in decided:
                references[family].append(unit)
    return results


def _mildly(result: Drift, n: int, settings: Settings) -> Drift:
    """What warns only, so that the window counts as reference: else the first odd window would make every later one fail.

    Without history nobody knows how many questions are new on any day, and from n < 3 windows how much quality differs from day to day.
    """
    for finding in [finding for finding in result.findings if finding.verdict == "fail"]:
        test = finding.measured
        is_first = n < settings.min_blocks and test.test in ("quality", "quality_segment")
        if test.test == "unseen" and test.provisional:
            finding.verdict = "warn"
        elif is_first and abs(test.effect or 0.0) < settings.floor_first:
            finding.verdict = "warn"
            finding.reason += f"; {plural(n, 'window')} before it cannot show how much windows differ"
    return dataclasses.replace(result, verdict=overall([finding.to_row() for finding in result.findings]))


def _unjudged(result: Drift, lack: str) -> Drift:
    """The result of a window with next to no traffic, which says so."""
    for finding in result.findings:
        finding.measured.lack, finding.reason = lack, f"too little data: {lack}"
    return dataclasses.replace(result, headline=f"Too little data to judge the window of {result.current['from']}: {lack}.")


def reference(good: Sequence[Unit], unit: Unit, settings: Settings) -> list[Unit]:
    """The last accepted windows, of the same kind of day where enough of them are."""
    same = [other for other in good if other.kind == unit.kind]
    return list((same if len(same) >= settings.min_history else good)[-settings.max_reference :])


def accepted_of(given: Iterable[Any] | None, zone: Any) -> dict[tuple[dt.datetime, str | None], Accepted]:
    """``accepted`` by start and family (None = every family).

    Raises:
        UsageError: no window start, or no family.
    """
    entries = {}
    for entry in given or ():
        one = Accepted(entry, None) if isinstance(entry, str) else Accepted(*entry)
        if one.family is not None and one.family not in FAMILIES:
            raise UsageError(f"unknown family {one.family!r}", where="accepted", fix=f"Known: {', '.join(FAMILIES)}")
        entries[windows.moment(str(one.window).replace("Z", "+00:00"), zone, where="accepted"), one.family] = one
    return entries


def _with_accepted(result: Drift, decided: dict[str, Accepted]) -> Drift:
    """A window that was accepted is no failure of these families when it is judged again."""
    for finding in result.findings:
        if finding.family in decided and finding.verdict in ("fail", "warn"):
            reason = decided[finding.family].reason
            finding.verdict, finding.reason = "ok", f"accepted{f' ({reason})' if reason else ''}: {finding.reason}"
    verdict = overall([finding.to_row() for finding in result.findings])
    if verdict == result.verdict:
        return result
    return dataclasses.replace(result, verdict=verdict, headline=f"Accepted: {', '.join(decided)}. {result.headline}")


def _with_states(result: Drift, history: dict[Any, str], unit: Unit) -> Drift:
    """new, ongoing since, recovered: from the verdict of the window before on the same comparison."""
    now = iso(unit.start)
    findings: list[Finding] = []
    for finding in result.findings:
        key = finding.measured.key
        worse = finding.verdict == "fail" or (finding.verdict == "warn" and finding.family == "answers")
        if worse:
            finding.state, finding.since = ("ongoing", history[key]) if key in history else ("new", finding.extra.get("onset", now))
            history[key] = finding.since or now
        elif key in history and finding.verdict != "insufficient":
            finding.state, finding.since = "recovered", now
            del history[key]
        findings.append(finding)
    return dataclasses.replace(result, findings=tuple(findings), headline=sentences.with_onsets(result.headline, findings, now))


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
