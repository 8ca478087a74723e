"""Tests over nights: how rarely they err, and how soon they see what no single night shows."""

import datetime as dt
import math

import numpy as np
import pytest

from recallwatch.monitor.finding import Finding
from recallwatch.monitor.measurement import Measured
from recallwatch.monitor.nights import Nights
from recallwatch.monitor.result import Drift
from recallwatch.monitor.settings import Settings
from recallwatch.monitor.windows import Unit
from recallwatch.stats.sequential import LARGEST, SHIFTS, Detector

START = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)


def test_the_evidence_is_the_mixture_of_all_onsets_and_shifts():
    """After each night: the sum over onsets of the likelihood ratio since, averaged over shifts; by the slow, obvious loop."""
    scores = [0.3, -1.0, 2.0, 9.0, 0.1]
    detector = Detector()
    for n in range(1, len(scores) + 1):
        evidence = detector.add(scores[n - 1])
        each = [
            sum(math.prod(math.exp(s * min(x, LARGEST) - s * s / 2) for x in scores[onset:n]) for onset in range(n)) for s in SHIFTS
        ]
        assert evidence == pytest.approx(sum(each) / len(SHIFTS))


def test_unchanged_nights_alarm_no_more_often_than_promised():
    """Average run length >= the threshold: 200 runs of standard normal scores, until they pass 100."""
    random = np.random.default_rng(3)
    lengths = []
    for _ in range(200):
        detector, n = Detector(), 1
        while detector.add(random.normal()) < 100:
            n += 1
        lengths.append(n)
    assert np.mean(lengths) > 100


def delay(effects, *, settings=None):
    """Nights until quality fails, and the last result; None = never."""
    nights = Nights(settings or Settings())
    for no, effect in enumerate(effects):
        test = Measured("quality", "recall", 10, effect=float(effect), se=0.01, df=27.0, p=0.5)
        day = START + dt.timedelta(days=no)
        result = Drift({}, {}, {}, "ok", "Nothing moved.", (Finding(test, "ok"),), ())
        result, begun = nights.watch(result, Unit(day, day + dt.timedelta(days=1), ()), {"quality": True}, lambda *_: None)
        if begun:
            return no, result, begun["quality"]
    return None


def test_small_and_slow_changes_are_named_with_onset_size_and_slope():
    """Steps of 2 points within ten nights and a leak of .2 points a night within fifteen, in four of five series; 5 points within two or three."""
    random = np.random.default_rng(11)
    unchanged = [delay(random.normal(0, 0.01, 365)) for _ in range(20)]
    assert sum(one is not None for one in unchanged) <= 3
    steps = [delay([*random.normal(0, 0.01, 40), *random.normal(-0.02, 0.01, 10)]) for _ in range(20)]
    assert sum(one is not None and one[0] >= 40 for one in steps) >= 16
    leaks = [delay([*random.normal(0, 0.01, 40), *(-0.002 * np.arange(1, 16) + random.normal(0, 0.01, 15))]) for _ in range(20)]
    assert sum(one is not None and one[0] >= 40 for one in leaks) >= 16
    _, result, start = next(one for one in leaks if one is not None and one[0] >= 50)
    assert result.verdict == "fail"
    assert result.headline.startswith("Over the windows since 2026-04-")
    assert any(one is not None and " a window" in one[1].findings[0].reason for one in leaks)
    assert abs((start.start - START).days - 41) < 12


def test_an_onset_is_where_the_change_began():
    """Nights that were a little worse by chance before it neither hide a step nor thin its size; a slope begins where it does."""
    detector = Detector()
    for score in [0.3] * 20 + [2.3] * 6:
        detector.add(score)
    assert 6 <= detector.since <= 9
    detector = Detector()
    for score in [-0.3, 0.3] * 20 + [0.2 * night for night in range(1, 16)]:
        detector.add(score)
    assert 12 <= detector.since <= 18
    no, result, begun = delay([0.003, -0.003] * 10 + [-0.003] * 20 + [-0.021] * 10)
    assert no <= 46
    assert abs((begun.start - START).days - 40) <= 3
    assert "-1.9 points (95 %" in result.findings[0].reason or "-2.1 points (95 %" in result.findings[0].reason


def test_a_family_alarms_by_the_mean_of_its_evidence():
    """Three metrics that fall together are seen sooner than one that falls alone, which needs three times the evidence and is named alone."""

    def seen(falling):
        nights = Nights(Settings())
        for no in range(30):
            fell = dict.fromkeys(falling, -0.02)
            tests = [
                Measured("quality", metric, 10, effect=fell.get(metric, 0.0), se=0.01, df=27.0, p=0.5)
                for metric in ("recall", "ndcg", "mrr")
            ]
            day = START + dt.timedelta(days=no)
            result = Drift({}, {}, {}, "ok", "", tuple(Finding(test, "ok") for test in tests), ())
            result, begun = nights.watch(result, Unit(day, day + dt.timedelta(days=1), ()), {"quality": True}, lambda *_: None)
            if begun:
                return no, [finding.measured.metric for finding in result.findings if finding.verdict == "fail"]
        return None

    (together, all_three), (alone, one) = seen(("recall", "ndcg", "mrr")), seen(("recall",))
    assert (together < alone, all_three, one) == (True, ["recall", "ndcg", "mrr"], ["recall"])


def test_a_certain_trifle_over_many_nights_is_no_alarm():
    """Half a point, for ever: under the floor of a point."""
    random = np.random.default_rng(5)
    assert delay(random.normal(-0.005, 0.002, 100)) is None
    assert delay(random.normal(-0.02, 0.01, 100), settings=Settings(false_pages_per_year=1e-6))[0] > 5
