"""Times of two arms by runs: what one run against another shows may be the machine, the cache or the hour."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from ..base.engine import Engine
from ..document.numbers import plural
from ..stats.paired import PairedTest, paired_test
from .arms import SCALE, Arm, time_name

Sums = dict[str, tuple[int, int]]  # run -> number of times, sum of their logs


@dataclass(frozen=True)
class Runs:
    """When the times of two arms were taken.

    Args:
        names: of the arms.
        sums: metric -> class -> the runs of a and of b.
        decide: whether runs must differ, too: times of the same minutes are compared by query alone.
    """

    names: tuple[str, str] = ("a", "b")
    sums: dict[str, dict[str | None, tuple[Sums, Sums]]] = field(default_factory=dict)
    decide: bool = False

    def lack(self, name: str, minimum: int) -> str:
        """Why the runs of a metric's times cannot carry a verdict; "" = they can, or nobody knows of runs."""
        if not self.decide or name not in self.sums:
            return ""
        a, b = self._of(name, None)
        n = [len(a), len(b)]
        if min(n) >= minimum:
            return ""
        if {run[1:] for run in a} == {run[1:] for run in b}:  # a minute in which both answered is a run of each
            return f"times of {plural(n[0], 'minute')} in which both answered, {minimum} such minutes or {minimum} runs of each are needed"
        each = " and ".join(f"{plural(count, 'run')} of {arm}" for count, arm in zip(n, self.names, strict=True))
        return f"times of {each}, {minimum} of each are needed: between two runs the machine may differ"

    def widened(self, test: PairedTest, name: str, value: str | None, kappa: float) -> PairedTest:
        """The test of a metric's times by query, no more certain than the one by runs."""
        if not self.decide or name not in self.sums or not test.n:
            return test
        between, _ = paired_test(*self._of(name, value), kappa, SCALE)
        if between.p is None or test.p is None or between.p <= test.p:
            return test
        half = (between.ci[1] or 0.0) - between.effect
        ci = (test.effect - half, test.effect + half)
        return dataclasses.replace(test, p=between.p, method="welch on runs", ci=ci, se=between.se, df=between.df)

    def _of(self, name: str, value: str | None) -> tuple[Sums, Sums]:
        """The runs of both arms: of one class, or of all of them added up."""
        if value is not None:
            return self.sums[name].get(value, ({}, {}))
        a, b = zip(*self.sums[name].values(), strict=True)
        return _added(a), _added(b)


def _added(each: Iterable[Sums]) -> Sums:
    total: Sums = {}
    for runs in each:
        for run, (n, s) in runs.items():
            m, t = total.get(run, (0, 0))
            total[run] = (m + n, t + s)
    return total


def runs_of(engine: Engine, a: Arm, b: Arm) -> Runs:
    """The runs of two arms whose logs have times of day; else none, and nothing is known of them."""
    if not a.minutes or not b.minutes:
        return Runs((a.name, b.name))
    both = [minutes.append_column("is_b", pa.array([i == 1] * len(minutes))) for i, minutes in enumerate((a.minutes, b.minutes))]
    engine.register("both_minutes", pa.concat_tables(both))
    engine.file("5_drift/arm_runs.sql")
    sums: dict[str, dict[str | None, tuple[Sums, Sums]]] = {}
    for row in engine.rows("select * replace (log_ms::hugeint as log_ms) from arm_runs"):
        sides = sums.setdefault(time_name(row["stage"]), {}).setdefault(row["query_class"], ({}, {}))
        sides[row["is_b"]][f"{'ab'[row['is_b']]}{row['run']}"] = (row["n"], int(row["log_ms"]))
    return Runs((a.name, b.name), sums, not engine.run("from arms_side_by_side")[0][0])
