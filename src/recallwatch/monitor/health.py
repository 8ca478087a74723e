"""Health: is the telemetry whole, and does the service answer?"""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

import numpy as np

from ..base.rows import iso
from ..stats.closed_forms import p_of, predicted
from .measurement import Measured
from .rates import is_large_rate, rate_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..stats.closed_forms import Ints
    from .sides import Both, Sides
    from .state import State
    from .windows import Day

RATES = (  # test, count, out of
    ("empty", "n_empty", "n"),
    ("errors", "n_error", "n"),
    ("duplicate_ids", "n_duplicate_ids", "n_looked_at"),
    ("null_ids", "n_null_ids", "n"),
    ("invalid_times", "n_invalid", "n"),
)
NULLS = (("class_null", "query_class"), ("tenant_null", "tenant_id"))  # test, column
RUNS_FROM = 0.001  # a stage on fewer of the recalls does not run in that window
RAREST = 0.5  # a stage that half of the reference's recalls skip is optional, its absence no fault


def measure(sides: Sides) -> list[Measured]:
    """Rates of what should not happen, stages whose time is missing, lines that could not be read, volume."""
    events = sides.state.events
    hours = sides.column(events, "hour")
    tests = [
        _rate(Measured(name, f"{name}_share"), sides.column(events, hits), sides.column(events, n), hours, sides)
        for name, hits, n in RATES
    ]
    n = sides.column(events, "n")
    for name, column in NULLS:
        if sides.state.values[column]:
            nulls = [np.where(codes < 0, some, 0) for codes, some in zip(sides.column(events, column), n, strict=True)]
            tests.append(_rate(Measured(name, f"{column}_null_share"), (nulls[0], nulls[1]), n, hours, sides))
    tests += [test for stage in range(len(sides.state.values["stage"])) if (test := _missing(sides, stage))]
    if any(sides.state.rejects.get(day) for day in sides.before + sides.after):
        tests.append(_rejected(sides))
    return [*tests, _depth(sides), _volume(sides)]


def _rate(test: Measured, hits: Both, n: Both, hours: Both, sides: Sides) -> Measured:
    rate_test(test, hits, n, hours, sides)
    test.is_large = is_large_rate(test, hits, sides.settings)
    test.where = _hours(hits, hours)
    return test


def _hours(hits: Both, hours: Both) -> list[dict[str, object]]:
    """The current window's hours with most cases."""
    if not hits[1].any():
        return []
    hour, place = np.unique(hours[1], return_inverse=True)
    count = np.bincount(place, hits[1])
    order = sorted(range(len(hour)), key=lambda i: (-count[i], hour[i]))[:3]
    return [
        {"kind": "hour", "hour": iso(dt.datetime.fromtimestamp(int(hour[i]) * 3600, dt.UTC)), "n": int(count[i])}
        for i in order
        if count[i] > 0
    ]


def _missing(sides: Sides, stage: int) -> Measured | None:
    """How often recalls without error and cache hit lack the time of a stage that runs in both windows."""
    name = sides.state.values["stage"][stage]
    per_hour = [_present(sides, stage, days) for days in sides.days]
    share = [float(good.sum() / max(timed.sum(), 1)) for good, timed, _ in per_hour]
    if share[0] < RAREST or share[1] < RUNS_FROM:
        return None
    test = Measured("stage_missing", "stage_missing_share", stage=name)
    hits = (np.maximum(per_hour[0][1] - per_hour[0][0], 0), np.maximum(per_hour[1][1] - per_hour[1][0], 0))
    return _rate(test, hits, (per_hour[0][1], per_hour[1][1]), (per_hour[0][2], per_hour[1][2]), sides)


def _present(sides: Sides, stage: int, days: list[int]) -> tuple[Ints, Ints, Ints]:
    """Per hour: recalls with the stage's time, recalls that should have it, the hour."""
    e, s = sides.state.events, sides.state.stages
    keep, rows = np.isin(e["day_no"], days), np.isin(s["day_no"], days) & (s["stage"] == stage)
    hours = np.unique(e["hour"][keep])
    timed = np.bincount(np.searchsorted(hours, e["hour"][keep]), e["n_timed"][keep], len(hours)).astype(np.int64)
    good = np.bincount(np.searchsorted(hours, s["hour"][rows]), s["n_good"][rows], len(hours)).astype(np.int64)
    return good, timed, hours


def _depth(sides: Sides) -> Measured:
    """Whether the lists of one side are much shorter: cut off in the log, or by the retriever."""
    before, after = sides.depths
    test = Measured("list_depth", "list_depth", reference=float(before), current=float(after), effect=float(after - before))
    test.is_large = bool(sides.other_lists(None))
    word = ("shorter" if after < before else "longer") if test.is_large else "as long"
    test.notes.append(f"lists are {word} ({before} → {after})")
    return test


def _rejected(sides: Sides) -> Measured:
    """Lines that could not be read, at the day of their file's first event; without hours, so binomial."""
    starts = {day.no: int(day.start.timestamp()) // 3600 for unit in (*sides.refs, sides.current) for day in unit.days}
    counts = [np.array([sides.state.rejects.get(day, 0) for day in days], np.int64) for days in sides.days]
    read = [np.array([sides.state.total("n", [day]) for day in days], np.int64) for days in sides.days]
    before, after = (np.array([starts[day] for day in days], np.int64) for days in sides.days)
    return _rate(
        Measured("rejected", "rejected_share"),
        (counts[0], counts[1]),
        (counts[0] + read[0], counts[1] + read[1]),
        (before, after),
        sides,
    )


def _volume(sides: Sides) -> Measured:
    """Recalls an hour against the same kind of days: outside [½, 2] without history, else outside the prediction interval of the log counts."""
    test = Measured("volume", "recalls_per_hour", blocks="days")
    state, current, settings = sides.state, sides.current, sides.settings
    now = state.total("n", current.numbers) / current.hours
    days = [day for unit in sides.refs for day in unit.days]
    alike = {kind: [day for day in days if day.is_weekend == kind] for kind in current.kind}
    if not all(alike.values()):
        test.lack = f"the reference has no day of the {'weekend' if not alike.get(True, True) else 'working week'}"
        return test
    before = sum(day.hours * _rate_of(state, alike[day.is_weekend]) for day in current.days) / current.hours
    test.reference, test.current = before, now
    if not before or not now:
        test.lack = "no recalls in the reference" if not before else "no recalls in the current window"
        return test
    test.effect = math.log(now / before)
    rates = [_rate_of(state, unit.days) for unit in sides.refs if unit.kind == current.kind]
    if len(rates) < settings.min_history or not all(rates):
        test.is_large = abs(test.effect) > math.log(settings.floor_volume)
        return test
    test.effect, test.se, test.df = predicted(math.log(now), np.log(rates).tolist())
    test.p = p_of(test.effect, test.se, test.df)
    test.is_large = abs(test.effect) >= math.log(settings.floor_volume_history) and test.p < settings.level_other
    return test


def _rate_of(state: State, days: Sequence[Day]) -> float:
    """Recalls an hour of some days."""
    return state.total("n", [day.no for day in days]) / sum(day.hours for day in days)
