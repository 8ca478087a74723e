"""From measurements to verdicts: Benjamini-Hochberg inside each family, floors, minimum amounts, one headline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..stats.closed_forms import adjust, detectable, t_quantile
from . import DRIFT_TESTS, sentences
from .measurement import Measured
from .settings import Settings

VERDICTS = ("fail", "warn", "insufficient", "improved", "ok")


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

    @property
    def is_flag(self) -> bool:
        """Whether something moved for certain, for better or worse."""
        return self.verdict in ("fail", "improved")


def decide(tests: Sequence[Measured], settings: Settings, *, history: Mapping[str, bool]) -> list[Finding]:
    """Every test's verdict; a family whose headline test lacks data raises no flag."""
    _silence(tests)
    q: dict[int, float | None] = {}
    for members in _families(tests).values():
        q.update(zip(map(id, members), adjust([None if t.lack else t.p for t in members]), strict=True))
    return [_finding(test, q.get(id(test)), settings, history=history.get(DRIFT_TESTS[test.test].family, False)) for test in tests]


def _families(tests: Sequence[Measured]) -> dict[tuple[str, str], list[Measured]]:
    """Tests that share one correction; segments of different columns are different questions."""
    found: dict[tuple[str, str], list[Measured]] = {}
    for test in tests:
        group = DRIFT_TESTS[test.test].group
        if group not in ("mix", "plain"):
            found.setdefault((group, next(iter(test.segment), "")), []).append(test)
    return found


def _silence(tests: Sequence[Measured]) -> None:
    """A window too small for its headline (first metric, total p50) is too small for the rest of that family."""
    heads = {
        "quality": next((t for t in tests if t.test == "quality"), None),
        "latency": next((t for t in tests if t.test == "latency" and t.stage == "total" and t.quantile == 0.5), None),
    }
    for test in tests:
        head = heads.get(DRIFT_TESTS[test.test].family)
        if head is not None and head.lack and not test.lack and test.test != "stage":
            test.lack = head.lack


def _finding(test: Measured, q: float | None, settings: Settings, *, history: bool) -> Finding:
    entry = DRIFT_TESTS[test.test]
    level = _level(test, settings, history=history)
    found = Finding(test, "ok", q)
    if test.se is not None and test.effect is not None:
        half = t_quantile(0.975, test.df) * test.se
        found.ci, found.mde = (test.effect - half, test.effect + half), detectable(test.se, test.df, level)
    certainty = q if entry.group not in ("mix", "plain") else test.p
    is_large = _is_large(test, settings)
    is_worse = test.effect is not None and (entry.better == "neither" or (test.effect < 0) == (entry.better == "higher"))
    if test.lack:
        found.verdict = "insufficient"
    elif entry.group == "plain":
        found.verdict = ("fail" if test.test == "volume" else "warn") if is_large else "ok"
    elif certainty is None:
        found.verdict = "ok"
    elif is_large and certainty <= level:
        found.verdict = "fail" if is_worse else "improved"
    elif is_large and is_worse and entry.group != "mix" and certainty <= settings.level_warn:
        found.verdict = "warn"
    elif certainty > level and _is_blind(test, found.mde, settings):
        found.verdict = "insufficient"
    found.reason = sentences.reason(found, is_large=is_large, level=level)
    return found


def _level(test: Measured, settings: Settings, *, history: bool) -> float:
    group = DRIFT_TESTS[test.test].group
    if group == "mix":
        return settings.level_mix_effect if test.test == "mix_effect" else settings.level_mix
    return settings.level("other" if group == "plain" else group, history=history)


def _is_large(test: Measured, settings: Settings) -> bool:
    if test.is_large is not None:
        return test.is_large
    floor = getattr(settings, DRIFT_TESTS[test.test].floor)
    size = test.effect if DRIFT_TESTS[test.test].unit == "psi" else abs(test.effect or 0.0)
    return test.effect is not None and size is not None and size >= floor


def _is_blind(test: Measured, mde: float | None, settings: Settings) -> bool:
    """Whether a change that matters would have gone unseen: then `ok` would be a guess."""
    if mde is None:
        return False
    if test.test == "latency":
        can_matter = (math.exp(mde) - 1) * test.extra.get("share_of_total", 1.0) >= settings.floor_of_total
        return mde > math.log(settings.mde_latency) and can_matter
    return test.test in ("quality", "quality_segment") and mde > settings.mde_metric


def verdict_of(findings: Sequence[Finding]) -> str:
    """fail > warn > ok; insufficient only where a headline test is; improved where something got better and nothing worse."""
    seen = {f.verdict for f in findings}
    for word in ("fail", "warn"):
        if word in seen:
            return word
    if any(f.verdict == "insufficient" and is_headline(f) for f in findings):
        return "insufficient"
    return "improved" if "improved" in seen else "ok"


def is_headline(found: Finding) -> bool:
    """The first quality metric over everything, and the total's p50."""
    test = found.measured
    if test.extra.get("is_absent") and test.test == "latency":  # a log without times is no window without data
        return False
    return (test.test == "quality" and test.extra.get("is_first", True)) or (
        test.test == "latency" and test.stage == "total" and test.quantile == 0.5
    )


def verdict_of_family(findings: Sequence[Finding], family: str) -> str:
    """The same for one family; one in which nothing could be tested is insufficient."""
    own = [f for f in findings if f.family == family]
    if own and all(f.verdict == "insufficient" for f in own):
        return "insufficient"
    return verdict_of(own)
