"""The closed forms against slow, obvious copies and against scipy."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as outside

from recallwatch.monitor import latency
from recallwatch.monitor.measurement import Measured
from recallwatch.monitor.settings import Settings
from recallwatch.stats import change_points, closed_forms, paired

small = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 3))


def test_t_and_chi_square_are_those_of_scipy():
    """Tails and quantiles agree with the reference library."""
    assert closed_forms.t_two_sided(2.1, 7.5) == pytest.approx(2 * outside.t.sf(2.1, 7.5), rel=1e-10)
    assert closed_forms.t_two_sided(2.1, math.inf) == pytest.approx(2 * outside.norm.sf(2.1), rel=1e-10)
    assert closed_forms.t_quantile(0.975, 4) == pytest.approx(outside.t.ppf(0.975, 4), rel=1e-8)
    assert closed_forms.chi2_tail(9.5, 4) == pytest.approx(outside.chi2.sf(9.5, 4), rel=1e-10)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_q_values_are_benjamini_hochberg(p):
    """q_i = the smallest level at which Benjamini-Hochberg rejects i."""
    assert closed_forms.adjust(list(p)) == pytest.approx(list(outside.false_discovery_control(p)), abs=1e-12)


def test_what_was_not_tested_is_not_counted():
    """None stays None and does not make the other tests stricter."""
    assert closed_forms.adjust([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert closed_forms.holm([0.01, None, 0.04]) == [0.02, None, 0.04]


@given(st.lists(small, min_size=3, max_size=12), st.data())
def test_weighted_mean_is_the_quadratic_form(d, data):
    """V and df come from V = d′Ad with A built in full: V = d′Ad, df = (tr A)² / tr(A²)."""
    w = np.array(data.draw(st.lists(st.floats(0.1, 1), min_size=len(d), max_size=len(d))))
    found = closed_forms.weighted_mean(np.array(d), w)
    w = w / w.sum()
    c = w * w / (1 - 2 * w + (w * w).sum())
    centre = np.eye(len(d)) - np.outer(np.ones(len(d)), w)
    a = centre.T @ np.diag(c) @ centre
    assert found.mean == pytest.approx(float(w @ d), abs=1e-12)
    assert found.variance == pytest.approx(float(np.array(d) @ a @ np.array(d)), abs=1e-12)
    assert found.df == pytest.approx(max(1.0, np.trace(a) ** 2 / np.trace(a @ a)), rel=1e-9)


@given(st.lists(small.filter(bool), min_size=1, max_size=9))
def test_sign_flips_are_all_patterns_of_signs(x):
    """p = share of sign patterns whose sum is at least as far from 0; both ways of counting agree."""
    observed = abs(sum(x)) - 1e-12
    slow = np.mean(
        [abs(sum(s * v for s, v in zip(signs, x, strict=True))) >= observed for signs in itertools.product((1, -1), repeat=len(x))]
    )
    assert closed_forms.flips(np.array(x)) == pytest.approx(slow)
    assert closed_forms.flips_exactly(np.array(x)) == pytest.approx(slow)


def test_mcnemar_is_the_exact_binomial():
    """27 gained, 1 lost gives 2.2e-07; nothing changed gives 1."""
    assert f"{paired.mcnemar(27, 1):.1e}" == "2.2e-07"
    assert paired.mcnemar(27, 1) == pytest.approx(outside.binomtest(1, 28).pvalue)
    assert paired.mcnemar(0, 0) == 1.0


def test_drawn_flips_never_say_zero_and_repeat():
    """(c + 1) / (n + 1) with a fixed seed: a p of 0 is not possible, and two runs agree."""
    x = np.full(40, 0.1)
    first = paired.flip_test(x)
    assert first == paired.flip_test(x)
    assert 0 < first[0] < 1e-4
    assert first[1] == "sign flips (drawn)"


@settings(deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=30, max_size=200))
def test_quantiles_of_log_buckets_are_mid_distribution_quantiles(milli):
    """The median stands between the middles of two neighbouring buckets, where half of the values lie below, those of a bucket by half."""
    width = math.log(1.01)
    bucket = np.floor(np.log(np.array(milli, np.float64)) / width).astype(np.int64)
    ((median, _),) = closed_forms.log_quantiles(bucket, np.ones(len(milli)), len(milli), (0.5,), width)
    points = [
        (sum((other < one) + (other == one) / 2 for other in bucket) / len(bucket), (one + 0.5) * width)
        for one in sorted(set(bucket))
    ]
    before = [point for point in points if point[0] <= 0.5][-1:] or points[:1]
    after = [point for point in points if point[0] >= 0.5][:1] or points[-1:]
    (low, x), (high, y) = before[0], after[0]
    assert median == pytest.approx(x + (y - x) * ((0.5 - low) / (high - low) if high > low else 0))


def test_a_step_is_a_change_point_and_noise_is_none():
    """One step of five standard deviations is found at its place; seeded noise has none."""
    noise = np.random.default_rng(5).normal(0, 0.01, 40)
    assert change_points.find(noise) == []
    (point,) = change_points.find(noise + np.where(np.arange(40) >= 25, -0.05, 0.0))
    assert point.place == 25
    assert point.after < point.before


def test_energy_is_the_pairwise_sum():
    """The statistic is n m / (n + m) (2 E|X − Y| − E|X − X′| − E|Y − Y′|), written out."""
    a, b = [0.0, 1.0, 3.0], [2.0, 5.0, 5.0, 9.0]
    between = sum(abs(x - y) for x in a for y in b) / 12
    within = [sum(abs(x - y) for x, y in itertools.permutations(s, 2)) / (len(s) * (len(s) - 1)) for s in (a, b)]
    assert change_points.energy(np.array(a + b), 3) == pytest.approx(12 / 7 * (2 * between - sum(within)))


def test_windows_at_once_weigh_queries_as_each_alone():
    """The traffic-weighted change of several windows is that of each, also where queries are in one side only."""
    from recallwatch.monitor import quality

    random = np.random.default_rng(2)
    n = random.integers(0, 4, (5, 30))
    s = n * random.integers(0, 10**12, (5, 30))
    alone = [quality.by_traffic((n[0], s[0]), (n[i], s[i])) for i in range(1, 5)]
    at_once = quality.traffic_shifts((n[0], s[0]), (n[1:], s[1:]))
    assert at_once == pytest.approx([float((one.w * one.d).sum()) for one in alone])


@pytest.mark.parametrize("p", [0.5, 0.95])
def test_the_variance_of_a_quantile_is_that_of_samples(p):
    """300 samples of 400 lognormal values: the variance of their log quantile, and the mean of what each sample says of it."""
    r, width = np.random.default_rng(4), np.log(1.01)
    seen = [
        closed_forms.log_quantiles(np.floor(x / width).astype(np.int64), np.ones(400), 400, (p,), width)[0]
        for x in r.normal(3, 0.3, (300, 400))
    ]
    values, variances = np.array(seen).T
    assert variances.mean() == pytest.approx(values.var(ddof=1), rel=0.3)


def test_a_short_day_is_no_less_certain_than_its_size():
    """Seven days of 500 times, then one of 100 from the same distribution: p under .05 about as often as it says; without the floor 19 %."""
    r, width, levels = np.random.default_rng(5), np.log(1.01), Settings()
    alarms = 0
    for _ in range(200):
        days = [np.floor(r.normal(3, 0.3, n) / width).astype(np.int64) for n in (*[500] * 7, 100)]
        each = np.array([closed_forms.log_quantiles(day, np.ones(len(day)), len(day), (0.95,), width)[0] for day in days])
        test = Measured("latency", "latency", stage="total", quantile=0.95)
        latency._pooled_t(test, each[:7], each[7:], levels)
        alarms += test.p < 0.05
    assert alarms <= 200 * 0.07
