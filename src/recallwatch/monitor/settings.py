"""Levels, floors and minimum amounts of the drift tests: the ``[drift]`` table of a configuration. Each default has its reason."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import declared as o
from ..base.declared import Owned
from ..base.definition import columns_of
from ..base.errors import UsageError

# smallest values that a test can use: a ratio of times under 1 would be no floor, a spread needs two windows, a change point three a side
MINIMA = {
    **dict.fromkeys(("floor_latency", "mde_latency", "floor_volume", "floor_volume_history", "deff", "max_reference"), 1.0),
    **dict.fromkeys(("min_history", "min_blocks"), 2.0),
    "answer_windows": 1.0,
    "false_pages_per_year": 1e-6,
    "change_points_from": 6.0,
}
SHARES = (
    *(
        f"floor_{name}"
        for name in ("metric", "first", "traffic", "segment", "overlap", "gone", "new", "of_total", "judged", "share", "rate")
    ),
    *("fail_traffic", "floor_mix_effect", "mde_metric", "mde_rate", "min_traffic"),
)  # ratios 0..1
HOURS = 24
NIGHTS = 365
# of the pages of a year that single nights may raise, by group of tests; all other groups (by traffic, two segments, other rates, four of the
# mix, volume) share the rest alike
NIGHT_SHARES = {"quality": 1 / 4, "latency": 1 / 6, "answers": 1 / 12}
OTHER_GROUPS = 9


@dataclass(frozen=True)
class Settings(Owned):
    """What decides a verdict; docs/drift.md says how each acts.

    Args:
        metrics: the tested family, fixed: more metrics on display never change a verdict.
        segments: columns whose values get a quality test of their own.
        level_quality, level_segment, level_latency: false discovery rate of a pair of windows.
        level_other: the same for labels and health: many rates, and a false one sends people to the wrong place.
        level_history: the same for quality and latency with ``min_history`` reference windows or more.
        false_pages_per_year: alarms that a year of unchanged nights may raise, over all families with history: half of them by
            single nights, half by the tests over nights.
        level_warn: false discovery rate at which a finding is worth a look.
        floor_*: smallest effect worth waking somebody for: ratio 0..1, or a ratio of times.
        fail_traffic: quality by traffic that lost less than this warns.
        min_traffic: part of the usual recalls (median of its kind of day) that a window needs to judge or to be judged.
        min_*: smallest amount of data that a test speaks on; below it says ``insufficient``.
        mde_metric, mde_latency, mde_rate: a test that could not see this change says ``insufficient`` instead of ``ok``.
        kappa: events per query at which a query's weight is half of its largest.
        tau: assumed standard deviation of a log quantile from day to day, where few reference windows show it.
        answers: verdict on answers that changed: ``warn``, because other answers are not worse answers, or ``fail``.
        answer_windows: accepted windows that answers are compared with.
        tau_answers: smallest standard deviation of the overlap from window to window that is believed.
        tau_pair: the one that is assumed where a single reference window shows none.
        lags: hours over which the load is taken to be correlated.
        deff: how many times larger a share's variance is than for independent events (sessions, retries).
        max_reference: accepted windows that make up the default reference.
        change_points_from: windows a series must have before change points are looked for.
    """

    READY: ClassVar[str] = "settings"

    metrics: tuple[str, ...] = ("recall@10", "ndcg@10", "mrr")
    segments: tuple[str, ...] = ("query_class", "tenant_id")
    level_quality: float = 0.05
    level_segment: float = 0.025
    level_latency: float = 0.05
    level_other: float = 0.01
    level_answers: float = 0.01  # answers change for good reasons too: silence rather than a false word
    level_history: float = 0.025
    false_pages_per_year: float = 1.0
    level_warn: float = 0.10
    level_mix: float = 0.001  # PSI and hit share carry no multiplicity correction, so the guard is strict
    level_mix_effect: float = 0.01
    floor_metric: float = 0.01
    floor_first: float = 0.10  # fails although one or two windows do not show how much windows differ
    floor_traffic: float = 0.10
    fail_traffic: float = 0.20  # one query may carry a sixth of the traffic, and changes by itself for a night: that warns
    floor_segment: float = 0.03
    floor_overlap: float = 0.05
    floor_gone: float = 0.015
    floor_new: float = 0.05
    floor_length: float = 0.5
    floor_score: float = 0.25
    floor_concentration: float = 0.25  # log of a ratio
    floor_latency: float = 1.05
    floor_of_total: float = 0.02  # nobody is woken for 6 µs of a stage
    floor_judged: float = 0.03
    floor_share: float = 0.05
    floor_rate: float = 0.01
    floor_psi: float = 0.10
    floor_mix_effect: float = 0.02
    floor_volume: float = 2.0
    floor_volume_history: float = 1.25
    min_traffic: float = 0.2  # under a fifth of the usual a window is an outage or a remnant
    min_queries: int = 20
    min_effective: float = 10
    min_segment_queries: int = 8
    min_segment_effective: float = 5
    min_above: int = 20
    min_hours: int = 6
    min_blocks: int = 3
    min_history: int = 7
    mde_metric: float = 0.05
    mde_latency: float = 1.25
    mde_rate: float = 0.05
    kappa: float = 1.0
    answers: str = "warn"
    answer_windows: int = 7
    tau_answers: float = 0.01
    tau_pair: float = 0.05
    tau: float = 0.02
    lags: int = 3
    deff: float = 2.0
    max_reference: int = 28
    change_points_from: int = 30

    def __post_init__(self) -> None:
        """Refuse what no test could use."""
        for entry in dataclasses.fields(self):
            value, where = getattr(self, entry.name), f"drift.{entry.name}"
            if isinstance(entry.default, tuple):
                if entry.name == "metrics" and not value:
                    raise UsageError("expected names, saw none", where=where, fix=f"For example {list(entry.default)}")
                checked: Any = o.names(value, where)
            elif isinstance(entry.default, str):
                checked = o.one_of(("warn", "fail"))(value, where)
            elif isinstance(entry.default, int):
                checked = o.whole(int(MINIMA.get(entry.name, 0)))(value, where)
            else:
                checked = o.number(MINIMA.get(entry.name, 0.0))(value, where)
            if entry.name.startswith("level") and not 0 < checked < 1:
                raise UsageError(f"must lie between 0 and 1, saw {value!r}", where=where)
            if entry.name in SHARES and checked > 1:
                raise UsageError(f"must lie between 0 and 1, saw {value!r}", where=where, fix="5 points are 0.05")
            if entry.name == "lags" and checked >= HOURS:
                raise UsageError(f"expected hours of a day, under {HOURS}, saw {value!r}", where=where)
            object.__setattr__(self, entry.name, checked)
        columns_of(self.metrics, (None,))

    def night_level(self, group: str) -> float:
        """P at which a group of tests alarms on a single night of a series; all of them raise half of the pages of a year."""
        share = NIGHT_SHARES.get(group, (1 - sum(NIGHT_SHARES.values())) / OTHER_GROUPS)
        return self.false_pages_per_year / 2 / NIGHTS * share

    def level(self, group: str, *, history: bool) -> float:
        """The false discovery rate of one Benjamini-Hochberg family."""
        if group in ("other", "answers"):
            return self.level_other if group == "other" else self.level_answers
        if history and group in ("quality", "traffic", "segment", "latency"):
            return self.level_history
        return {
            "quality": self.level_quality,
            "traffic": self.level_quality,
            "segment": self.level_segment,
            "latency": self.level_latency,
        }[group]
