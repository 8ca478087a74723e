"""A pinned baseline: windows that every later one is also held against, so that no loss is accepted night by night."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..base.errors import UsageError
from ..base.rows import iso
from ..base.verdicts import FAMILIES, VERDICTS, gravest, overall
from ..document.numbers import plural
from ..report.finding_rows import finding_name
from . import windows
from .result import Drift

if TYPE_CHECKING:
    from .options import DriftWindows
    from .settings import Settings
    from .stored_verdicts import Judge
    from .windows import Unit

GUARDED = ("quality", "latency", "health")  # families in which a slow change is a loss; traffic and answers may move on


def pinned(requested: DriftWindows, every: Sequence[Unit]) -> list[Unit]:
    """The windows of the baseline: those that begin within A..B, or at A.

    Raises:
        UsageError: it cannot be read, or the log has no window of it.
    """
    text = requested.baseline
    if text is None:
        return []
    if ".." in text:
        start, end = windows.span(text, requested.zone, where="--baseline")
        units = [unit for unit in every if start <= unit.start < end]
    else:
        at = windows.moment(text, requested.zone, where="--baseline")
        units = [unit for unit in every if unit.start <= at < unit.end]
    if not units:
        known = f"the log's windows run from {iso(every[0].start)} to {iso(every[-1].end)}" if every else "the log has no window"
        raise UsageError(
            f"no window of the baseline {text} has recalls: {known}",
            where="--baseline",
            fix="Name a period of the log, such as 2026-03-01..2026-03-15",
        )
    return units


def guard(result: Drift, judge: Judge, base: Sequence[Unit], unit: Unit, *, settings: Settings, families: Collection[str]) -> Drift:
    """The result, with what the baseline shows to be lost and the windows before do not; fewer windows than a history only warn.

    Args:
        result: the window against those before it; its findings are changed.
        judge: compares two windows.
        base: windows of the baseline.
        unit: the window.
        settings: levels: a test alarms as rarely as ``false_pages_per_year`` says.
        families: those that no new regime has begun of since.
    """
    if unit.start < base[-1].end or not families:
        return result
    held = judge({family: base if family in families else () for family in FAMILIES}, unit, frozenset(families))
    own = {finding.measured.key: finding for finding in result.findings}
    worst = "fail" if len(base) >= settings.min_history else "warn"
    name = f"the baseline from {iso(base[0].start)} ({plural(len(base), 'window')})"
    lost = []
    for finding in held.findings:
        before = own.get(finding.measured.key)
        if finding.family not in families or finding.verdict not in ("warn", "fail") or before is None:
            continue
        verdict = max(finding.verdict, worst, key=VERDICTS.index)  # the milder
        if gravest([before.verdict, verdict]) == before.verdict:
            continue
        before.verdict, before.reason = verdict, f"{before.reason}; against {name}: {finding.reason}"
        lost.append(f"{finding_name(finding.to_row())} {finding.reason}")
    if not lost:
        return result
    headline = f"Against {name}: {'; '.join(lost)}. {result.headline}"
    return dataclasses.replace(result, headline=headline, verdict=overall([finding.to_row() for finding in result.findings]))
