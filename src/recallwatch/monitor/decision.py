"""From measurements to verdicts: Benjamini-Hochberg inside each family, floors, minimum amounts, one headline."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from ..base.definition import capped
from ..base.metrics import is_lower_better
from ..base.verdicts import CERTAIN
from ..stats.closed_forms import adjust, detectable, t_quantile
from . import DRIFT_TESTS, sentences
from .finding import Finding
from .measurement import Measured
from .settings import NIGHTS, Settings

OF_INTERVALS = 0.05  # what is outside of a 95 % interval is certain at this level
WARN_TIMES = 10  # a warning may be as many times less certain than an alarm, where nights follow each other


def decide(
    tests: Sequence[Measured], settings: Settings, *, history: Mapping[str, bool], nightly: Collection[str] = ()
) -> list[Finding]:
    """Every test's verdict; a family whose headline test lacks data raises no flag.

    Args:
        tests: what was measured.
        settings: levels and floors.
        history: family -> whether reference windows show by how much windows differ anyway.
        nightly: families of a series of which enough windows were accepted: they alarm as rarely as ``false_pages_per_year``
            says, and the tests over nights see what is smaller.
    """
    _silence(tests)
    q: dict[int, float | None] = {}
    for members in _families(tests).values():
        q.update(zip(map(id, members), adjust([None if t.lack else t.p for t in members]), strict=True))
    for test in tests:
        test.provisional |= test.p is not None and not history.get(DRIFT_TESTS[test.test].family, False)
    findings = []
    for test in tests:
        family = DRIFT_TESTS[test.test].family
        base = _level(test, settings, history=history.get(family, False))
        alarm = min(base, settings.night_level(DRIFT_TESTS[test.test].group)) if family in nightly and history.get(family) else base
        findings.append(_finding(test, q.get(id(test)), settings, (base, alarm)))
    return findings


def _families(tests: Sequence[Measured]) -> dict[tuple[str, str], list[Measured]]:
    """Tests that share one correction; segments of different columns are different questions."""
    families: dict[tuple[str, str], list[Measured]] = {}
    for test in tests:
        group = DRIFT_TESTS[test.test].group
        if group not in ("mix", "plain"):
            families.setdefault((group, next(iter(test.segment), "")), []).append(test)
    return families


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


def _finding(test: Measured, q: float | None, settings: Settings, levels: tuple[float, float]) -> Finding:
    """Decided at two levels: of the test alone, which its smallest detectable effect is of, and of an alarm."""
    entry = DRIFT_TESTS[test.test]
    base, level = levels
    warn = settings.level_warn if level == base else min(settings.level_warn, WARN_TIMES * level)
    if entry.family == "answers" and settings.answers == "warn":
        level = min(base, settings.false_pages_per_year / NIGHTS) if level < base else base  # they page nobody: a warning a year
    finding = Finding(test, "ok", q)
    if test.se is not None and test.effect is not None:
        half = t_quantile(0.975, test.df) * test.se
        finding.ci, finding.mde = (test.effect - half, test.effect + half), detectable(test.se, test.df, base)
    certainty = q if entry.group not in ("mix", "plain") else test.p
    is_large = _is_large(test, settings)
    better = "lower" if entry.family == "quality" and is_lower_better(test.column.partition("@")[0]) else entry.better
    is_neutral = better == "neither" or bool(test.extra.get("is_unit"))  # another unit is no improvement
    is_worse = test.effect is not None and (is_neutral or (test.effect < 0) == (better == "higher"))
    if test.lack:
        finding.verdict = "insufficient"
    elif entry.group == "plain":
        takes_nothing = test.metric == "new_stage" or (test.test == "list_depth" and (test.effect or 0.0) > 0)
        finding.verdict = ("warn" if takes_nothing else "fail") if is_large and (certainty is None or certainty <= level) else "ok"
    elif certainty is None:
        finding.verdict = "ok"
    elif is_large and certainty <= level:
        finding.verdict = _worst(test, settings) if is_worse else "improved"
    elif is_large and is_worse and entry.group not in ("mix", "answers", "traffic") and certainty <= warn:
        finding.verdict = "warn"
    elif certainty > base and _is_blind(test, finding.mde, settings):
        finding.verdict = "insufficient"
    finding.extra["level"] = base if finding.verdict in CERTAIN else warn if finding.verdict == "warn" else OF_INTERVALS
    finding.verdict = capped(finding.verdict, test.extra.get("kinds"))
    finding.reason = sentences.reason(finding, is_large=is_large, level=level)
    return finding


def _worst(test: Measured, settings: Settings) -> str:
    """The verdict of a certain and large loss."""
    if DRIFT_TESTS[test.test].family == "answers":
        return settings.answers
    is_mild = test.test == "quality_traffic" and abs(test.effect or 0.0) < settings.fail_traffic
    return "warn" if is_mild else "fail"


def _level(test: Measured, settings: Settings, *, history: bool) -> float:
    group = DRIFT_TESTS[test.test].group
    if group == "mix":
        return settings.level_mix_effect if test.test == "mix_effect" else settings.level_mix
    return settings.level("other" if group == "plain" else group, history=history)


def _is_large(test: Measured, settings: Settings) -> bool:
    if test.is_large is not None:
        return test.is_large
    entry = DRIFT_TESTS[test.test]
    if test.effect is None or entry.floor is None:
        return False
    size = test.effect if entry.unit == "psi" else abs(test.effect)
    return bool(size >= getattr(settings, entry.floor))


def _is_blind(test: Measured, mde: float | None, settings: Settings) -> bool:
    """Whether a change that matters would have gone unseen: then `ok` would be a guess."""
    if mde is None:
        return False
    entry = DRIFT_TESTS[test.test]
    if test.test == "latency":
        can_matter = (math.exp(mde) - 1) * test.extra.get("share_of_total", 1.0) >= settings.floor_of_total
        return mde > math.log(settings.mde_latency) and can_matter
    if entry.family == "health":
        return entry.unit == "share" and mde > settings.mde_rate
    return test.test in ("quality", "quality_segment") and mde > settings.mde_metric
