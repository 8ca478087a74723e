"""Latency per stage, p50 and p95, cache misses only: hours as blocks within a day, days or runs as blocks across days."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..document.numbers import plural
from ..stats.closed_forms import Floats, Ints, among, log_quantiles, p_of
from . import exceedance
from .exceedance import ABOVE, QUANTILES, WIDTH
from .measurement import SMALLER, Measured, too_few

if TYPE_CHECKING:
    from .settings import Settings
    from .sides import Sides
    from .state import State


def measure(sides: Sides) -> list[Measured]:
    """One test per stage and quantile for the stages of both windows; a finding of its own for each other stage."""
    state, settings = sides.state, sides.settings
    first, then = (_shares(state, days) for days in sides.days)
    both = [stage for stage in range(len(state.values["stage"])) if stage in first and stage in then]
    if not first and not then:
        return [
            Measured("latency", "latency", stage="total", lack="no times are logged")
        ]  # no quantile: no headline test lacks data
    is_burst = _is_burst(state, sides.before + sides.after, settings)
    if len(sides.before) >= settings.min_blocks:
        tests = _by_days(sides, both, "runs" if is_burst else "days")
    else:
        tests = exceedance.measure(sides, both, is_burst=is_burst)
    totals = {t.quantile: t for t in tests if t.stage == "total"}
    for test in tests:
        _judge_size(test, totals.get(test.quantile), settings)
    _ask_unit(tests)
    return tests + _new_and_gone(sides, set(first), set(then))


def _judge_size(test: Measured, total: Measured | None, settings: Settings) -> None:
    """Both floors: the ratio, and a share of the reference's total at the same quantile."""
    if test.effect is None or test.reference is None or test.current is None:
        return
    base = total.reference if total is not None and total.reference is not None else test.reference
    test.is_large = (
        abs(test.effect) >= math.log(settings.floor_latency)
        and abs(test.current - test.reference) >= settings.floor_of_total * base
    )
    test.extra["share_of_total"] = test.reference / base if base else 1.0


def _ask_unit(tests: Sequence[Measured]) -> None:
    """All quantiles of a stage a thousand or a million times what they were: a question of units, and no improvement."""
    for stage in {test.stage for test in tests}:
        own = [test for test in tests if test.stage == stage and test.effect is not None]
        for factor in (1e-6, 1e-3, 1e3, 1e6):
            if own and all(abs((test.effect or 0.0) - math.log(factor)) < math.log(1.5) for test in own):
                for test in own:
                    test.extra["is_unit"] = True
                    test.notes.append(f"a ratio near {max(factor, 1 / factor):g}: did the unit change (s, ms, µs)?")


def _is_burst(state: State, days: list[int], settings: Settings) -> bool:
    """Whether a day's traffic stands in a few hours only, as a nightly replay's does."""
    keep = among(state.events["day_no"], days)
    pairs = set(zip(state.events["day_no"][keep].tolist(), state.events["hour"][keep].tolist(), strict=True))
    active = {day for day, _ in pairs}
    return len(pairs) < settings.min_hours * max(len(active), 1)


def _shares(state: State, days: list[int]) -> dict[int, float]:
    """Stage -> share of the recalls that should carry times and carry this stage's; stages under 0.1 % do not run."""
    timed = state.total("n_timed", days)
    keep = among(state.stages["day_no"], days)
    n = np.bincount(state.stages["stage"][keep], state.stages["n"][keep], len(state.values["stage"]))
    return {s: float(n[s] / max(timed, 1)) for s in range(len(n)) if n[s] > 0.001 * timed}


def _by_days(sides: Sides, stages: list[int], blocks: str) -> list[Measured]:
    """t = (x̄_c − x̄_r) / √(s² (1/K_r + 1/K_c) + 2 τ²) on log quantiles of each day; at K_c = 1 the prediction t."""
    state = sides.state
    weight = class_weights(state, sides.after)
    tests = []
    for stage in stages:
        x, y = (_per_day(state, stage, days, weight) for days in sides.days)
        for place, quantile in enumerate(QUANTILES):
            test = Measured("latency", "latency", stage=state.values["stage"][stage], quantile=quantile, blocks=blocks)
            a, b = (np.array([q[place] for q, _ in side]).reshape(-1, 2) for side in (x, y))
            above = min(sum(n for _, n in x), sum(n for _, n in y)) * (1 - quantile)
            _pooled_t(test, a, b, sides.settings)
            test.lack = lack_of(above, (len(a), len(b)), sides.settings, blocks)
            tests.append(test)
    return tests


def _pooled_t(test: Measured, x: Floats, y: Floats, settings: Settings) -> None:
    """Days of the reference and of the current window: (log quantile, its sampling variance), shape (n_days, 2).

    Days differ by no less than samples of their size do: a short day is less certain than the reference's days are among themselves.
    """
    k, m = len(x), len(y)
    if k < 2 or m < 1:
        return
    (mean_x, least_x), (mean_y, least_y), df = x.mean(axis=0), y.mean(axis=0), k + m - 2
    s2 = (float(((x[:, 0] - mean_x) ** 2).sum()) + float(((y[:, 0] - mean_y) ** 2).sum())) / df
    tau = 0.0 if k >= settings.min_history and m == 1 else settings.tau
    test.effect, test.reference, test.current = float(mean_y - mean_x), math.exp(mean_x), math.exp(mean_y)
    test.se, test.df = math.sqrt(max(s2, least_x) / k + max(s2, least_y) / m + 2 * tau * tau), float(df)
    test.p = p_of(test.effect, test.se, test.df)


def lack_of(above: float, days: tuple[int, int], settings: Settings, blocks: str) -> str:
    """Why the days cannot carry a verdict; empty where they can."""
    if days[0] < settings.min_blocks or days[1] < 1:
        return f"{plural(days[0], blocks[:-1])} in the reference and {days[1]} in the current window, {settings.min_blocks} and 1 are needed"
    if above + 1e-9 < settings.min_above:
        return too_few(above, settings.min_above, SMALLER, *ABOVE)
    return ""


def class_weights(state: State, days: list[int]) -> Floats:
    """Share of each class in some days' recalls, the last entry for recalls without class; quantiles are standardised to it."""
    keep = among(state.events["day_no"], days)
    size = len(state.values["query_class"]) + 1
    n = np.bincount(state.events["query_class"][keep] % size, state.events["n"][keep], size)
    return np.asarray(n / max(float(n.sum()), 1.0), np.float64)


def _per_day(state: State, stage: int, days: list[int], weight: Floats) -> list[tuple[list[tuple[float, float]], int]]:
    """Log quantiles with their sampling variances, and count, of each day that has values; cached per day, stage and weights."""
    quantiles = []
    for day in days:
        key = ("quantiles", day, stage, weight.tobytes())
        if key not in state.cache:
            state.cache[key] = _of_day(state, stage, day, weight)
        if state.cache[key] is not None:
            quantiles.append(state.cache[key])
    return quantiles


def _of_day(state: State, stage: int, day: int, weight: Floats) -> tuple[list[tuple[float, float]], int] | None:
    h = state.latency
    rows = np.arange(*np.searchsorted(h.day, [day, day + 1]))
    rows = rows[h.stage[rows] == stage]
    if not len(rows):
        return None
    each = standardised(h.query_class[rows], h.n[rows], weight)
    if not each.any():
        each = h.n[rows].astype(np.float64)
    n = int(h.n[rows].sum())
    return log_quantiles(h.bucket[rows][each > 0], each[each > 0], n, QUANTILES, WIDTH), n


def standardised(query_class: Ints, n: Ints, weight: Floats) -> Floats:
    """Weights under which every class has its share in ``weight``; a class without values gives its share to the others."""
    code = query_class % len(weight)
    count = np.bincount(code, n, len(weight))
    return np.where(count > 0, weight / np.maximum(count, 1), 0.0)[code] * n


def _new_and_gone(sides: Sides, first: set[int], then: set[int]) -> list[Measured]:
    """A stage that one window lacks altogether: its share of the total, not a failure of health."""
    tests = []
    if min(sides.state.total("n_timed", days) for days in sides.days) < sides.settings.min_above:  # all stages are missing there
        return (
            [
                Measured("latency", "latency", stage="total", quantile=q, lack="a window has hardly a recall with times")
                for q in QUANTILES
            ]
            if first ^ then
            else []
        )
    for stage in sorted(first ^ then):
        is_new = stage in then
        share, ms = _share_of_total(sides.state, stage, sides.after if is_new else sides.before)
        name = sides.state.values["stage"][stage]
        test = Measured("stage", "new_stage" if is_new else "stage_gone", stage=name, blocks=None)
        test.reference, test.current = (0.0, share) if is_new else (share, 0.0)
        test.effect, test.is_large = test.current - test.reference, share >= sides.settings.floor_of_total
        word = f"new stage {name}" if is_new else f"stage {name} is gone"
        test.notes.append(f"{word}: {100 * share:.0f} % of the total, {ms:.3g} ms a recall")
        tests.append(test)
    return tests


def _share_of_total(state: State, stage: int, days: list[int]) -> tuple[float, float]:
    keep = among(state.stages["day_no"], days)
    ms = np.bincount(state.stages["stage"][keep], state.stages["sum_ms"][keep], len(state.values["stage"]))
    names = state.values["stage"]
    total = ms[names.index("total")] if "total" in names else ms.sum()
    return float(ms[stage] / total) if total else 0.0, float(ms[stage] / max(state.total("n_timed", days), 1))
