"""Tests over nights: small and slow changes, which every single night calls nothing."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ..base.metrics import is_lower_better
from ..base.rows import iso
from ..base.verdicts import overall
from ..document.numbers import change, plural, points
from ..report.finding_rows import finding_name
from ..stats.closed_forms import one_sided, z_of
from ..stats.sequential import Detector, mean_of, slope_of
from . import DRIFT_TESTS
from .settings import NIGHTS

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence

    from .finding import Finding
    from .result import Drift
    from .settings import Settings
    from .unjudged import Estimate
    from .windows import Unit

    Doubt = Callable[[Sequence[Finding], Mapping[Any, Estimate], dt.datetime], None]

# of the pages of a year that tests over nights may raise; other answers are not worse ones, and are not watched
FAMILY_SHARES = {"quality": 1 / 3, "latency": 1 / 4, "mix": 5 / 36, "labels": 5 / 36, "health": 5 / 36}
SLACK = 20.0  # times the threshold that evidence is kept at most
SLOPE = 2.0  # standard errors from which a change is told as a slope


class Nights:
    """Watches every statistic of a series that has history, in its bad direction.

    Args:
        settings: ``false_pages_per_year``, floors.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._detectors: dict[Any, Detector] = {}
        self._past: dict[Any, list[tuple[Unit, float, float]]] = {}

    def watch(self, result: Drift, unit: Unit, history: dict[str, bool], doubt: Doubt) -> tuple[Drift, dict[str, Unit]]:
        """The result, a small change that nights together show added; family -> the window it began in.

        A family alarms where the mean evidence of its statistics, which is evidence of the same kind, passes its threshold.

        Args:
            result: of one window, whose findings are changed.
            unit: the window.
            history: families with enough windows before it.
            doubt: makes findings insufficient that unjudged documents could turn; it gets the time the change began at.
        """
        begun: dict[str, Unit] = {}
        first: Unit | None = None
        changes = []
        for family, share in FAMILY_SHARES.items():
            own = [f for f in result.findings if f.family == family and history.get(family) and self._is_watched(f)]
            limit = 2 * NIGHTS / self._settings.false_pages_per_year / share
            evidence = [self._add(finding, unit, SLACK * limit * len(own)) for finding in own]
            if sum(evidence) < limit * len(own) or not own:
                continue
            large = [f for f, one in zip(own, evidence, strict=True) if one >= limit and self._is_large(f)]
            small = [finding for finding in large if finding.verdict != "fail"]  # what a window shows alone was asked there
            starts = [self._told(finding) for finding in large]
            if small:
                doubt(small, {f.measured.key: mean_of(self._since(f)) for f in small}, min(one.start for one in starts))
            for finding, start in zip(large, starts, strict=True):
                if finding.verdict == "ok":
                    continue
                first = min(first or start, start, key=_start)
                lack = f", too little data: {finding.measured.lack}" if finding.measured.lack else ""
                changes.append(f"{finding_name(finding.to_row())} {self._size(finding)}{lack}")
                if not lack:
                    begun[family] = min(begun.get(family, start), start, key=_start)
        if first is None:
            return result, {}
        headline = f"Over the windows since {iso(first.start)}: {'; '.join(changes)}. {result.headline}"
        return dataclasses.replace(result, headline=headline, verdict=overall([f.to_row() for f in result.findings])), begun

    def forget(self, family: str) -> None:
        """Begin anew with a family: what was before is no evidence of what comes."""
        for key in [key for key in self._detectors if DRIFT_TESTS[key[0]].family == family]:
            del self._detectors[key], self._past[key]

    def _is_watched(self, finding: Finding) -> bool:
        test = finding.measured
        entry = DRIFT_TESTS[test.test]
        return bool(not test.lack and not test.segment and test.effect is not None and test.se and entry.better != "neither") and (
            test.test != "quality_traffic" and entry.family != "answers"
        )

    def _add(self, finding: Finding, unit: Unit, most: float) -> float:
        """Add a night; the evidence there is now, of which at most so much is kept."""
        test, key = finding.measured, finding.measured.key
        lower = DRIFT_TESTS[test.test].better == "lower" or is_lower_better(test.column.partition("@")[0])
        effect = float(test.effect or 0.0) * (1 if lower else -1)
        detector = self._detectors.setdefault(key, Detector())
        evidence = detector.add(-z_of(one_sided(effect, float(test.se or 0.0), test.df)))
        detector.cap(most)
        past = self._past.setdefault(key, [])
        past.append((unit, float(test.effect or 0.0), float(test.se or 0.0)))
        del past[:-NIGHTS]
        return evidence

    def _told(self, finding: Finding) -> Unit:
        """Make it fail; the window that the change began in."""
        finding.verdict = "fail"
        finding.reason += f"; {self._size(finding)}"
        key = finding.measured.key
        past = self._past[key]
        start = past[-min(self._detectors[key].since, len(past))][0]
        finding.extra["onset"] = iso(start.start)
        return start

    def _since(self, finding: Finding) -> list[Estimate]:
        """The effects of the nights since its onset, and their standard errors."""
        key = finding.measured.key
        return [(effect, se) for _, effect, se in self._past[key][-self._detectors[key].since :]]

    def _is_large(self, finding: Finding) -> bool:
        """Whether two nights or more changed by what matters, on average."""
        if self._detectors[finding.measured.key].since < 2:
            return False
        entry, (mean, _) = DRIFT_TESTS[finding.measured.test], mean_of(self._since(finding))
        if finding.measured.test == "latency":
            share = finding.measured.extra.get("share_of_total", 1.0)
            return mean >= math.log(self._settings.floor_latency) and math.expm1(mean) * share >= self._settings.floor_of_total
        return entry.floor is not None and abs(mean) >= getattr(self._settings, entry.floor)

    def _size(self, finding: Finding) -> str:
        """The mean change of the nights since its onset with a 95 % interval, and its slope where there is one."""
        n = self._detectors[finding.measured.key].since
        nights = self._since(finding)
        (mean, se), (slope, error) = mean_of(nights), slope_of(nights)
        show = change if finding.measured.test == "latency" else points
        text = f"{show(mean)} (95 % {show(mean - 1.96 * se)} to {show(mean + 1.96 * se)}) over {plural(n, 'window')}"
        return f"{text}, {show(slope)} a window" if abs(slope) > SLOPE * error else text


def _start(unit: Unit) -> dt.datetime:
    return unit.start
