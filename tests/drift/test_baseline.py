"""A pinned baseline: what was accepted night by night is held against it."""

import datetime as dt

import pytest

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.base.zone import UTC
from recallwatch.monitor.baseline import pinned
from recallwatch.monitor.options import DriftWindows
from recallwatch.monitor.windows import units_of

from . import world

BAD = range(3, 5)  # days that have lost most of their relevant documents; all but the last are accepted
GIVEN = {"window": "day", "max_reference": 1, "min_history": 2, "accepted": [f"2026-03-{no + 2:02}" for no in BAD[:-1]]}
PERIOD = "2026-03-02..2026-03-05"


@pytest.fixture(scope="module")
def log():
    days = [world.day(no, per_hour=12, queries=40, hours=range(0, 24, 2), lost=0.6 if no in BAD else None) for no in range(5)]
    return world.log(*days)


@pytest.fixture(scope="module")
def newest(log):
    """The last day by what stands in ``baseline``."""

    def one(baseline=None, **more):
        return recallwatch.drift(log, world.labels(40), **{**GIVEN, "baseline": baseline, **more}, threads=1)

    return one


@pytest.fixture(scope="module")
def held(newest):
    return newest(PERIOD)


def test_a_loss_that_was_accepted_night_by_night_fails_against_the_baseline(newest, held):
    """Against the accepted night before it the last one is as usual; against the first three it fails, with both figures in the reason."""
    assert newest().verdict == "ok"
    recall = next(f for f in held.findings if (f.measured.test, f.measured.metric) == ("quality", "recall"))
    assert (held.verdict, recall.verdict) == ("fail", "fail")
    assert "; against the baseline from 2026-03-02T00:00:00Z (3 windows): 0." in recall.reason
    assert held.headline.startswith("Against the baseline from 2026-03-02T00:00:00Z (3 windows): recall@")
    assert {f.family for f in held.findings if f.verdict == "fail"} == {"quality"}


def test_few_windows_only_warn_and_a_new_regime_ends_a_baseline(newest):
    """One day shows nobody how days differ; what began with --from-here is no loss."""
    assert newest("2026-03-04").verdict == "warn"
    begun = [("2026-03-05", "quality", "new index", True), *GIVEN["accepted"][1:]]
    assert newest(PERIOD, accepted=begun).verdicts()["quality"] == "ok"


def test_a_baseline_that_cannot_act_is_refused(log):
    """Where and what to do, by the flag's name; a date means the window that holds it."""
    every = units_of(dt.datetime(2026, 3, 2, tzinfo=dt.UTC), dt.datetime(2026, 3, 20, tzinfo=dt.UTC), "week", UTC)
    assert pinned(DriftWindows(baseline="2026-03-12"), every) == every[1:2]
    assert pinned(DriftWindows(baseline="2026-03-02..2026-03-16"), every) == every[:2]
    assert pinned(DriftWindows(), every) == []
    with pytest.raises(UsageError, match="no window of the baseline 2025-01-01 has recalls"):
        pinned(DriftWindows(baseline="2025-01-01"), every)
    with pytest.raises(UsageError, match="no ISO date or time"):
        pinned(DriftWindows(baseline="lately"), every)
    named = {"reference": "2026-03-02..2026-03-03", "current": "2026-03-03..2026-03-04"}
    with pytest.raises(UsageError, match="beside a named reference"):
        recallwatch.drift(log, world.labels(40), **named, baseline=PERIOD)
