"""The tests of a comparison: every metric over everything and inside each class, corrected for their number, decided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.definition import capped, rests_on
from ..base.metrics import is_lower_better
from ..base.verdicts import MOVED
from ..document.numbers import plural
from ..monitor.settings import Settings
from ..scoring.unjudged import STATED, Difference, Unjudged
from ..stats.closed_forms import adjust, detectable, holm
from ..stats.paired import PairedTest, paired_test, weights_of
from . import arms
from .arms import Arm
from .runs import Runs

SHOWN = 10  # queries that a row names on either side
CORRECTIONS = {"bh": adjust, "holm": holm}

Sums = Mapping[str, tuple[int, int]]  # query -> recalls, sum
Tested = tuple[str, str | None, PairedTest, dict[str, float]]  # metric, class or None, test, query -> difference


def rows_of(
    a: Arm,
    b: Arm,
    names: Sequence[str],
    settings: Settings,
    *,
    correction: str,
    unjudged: Unjudged | None = None,
    runs: Runs | None = None,
) -> list[dict[str, Any]]:
    """One row a metric and class; metrics and total time are corrected together, the times of stages among themselves.

    Args:
        a: the arm to compare with.
        b: the arm that is judged.
        names: metrics; those that both arms have are tested, or all of both where none of these is.
        settings: levels and floors.
        correction: bh or holm.
        unjudged: documents without a label that could turn a verdict; None = none could.
        runs: when the times were taken; None = nobody knows.
    """
    names = [name for name in names if name in a.sums and name in b.sums] or sorted(
        name for name in set(a.sums) & set(b.sums) if not _is_time(name)
    )
    timed = [arms.TIME] if arms.TIME in a.sums and arms.TIME in b.sums else []
    classes = sorted({c for c in {**a.classes, **b.classes}.values() if c is not None})
    groups: list[str | None] = [None, *(classes if len(classes) > 1 else [])]
    runs = runs or Runs()
    tested = [_test((a, b), name, value, settings.kappa, runs) for name in [*names, *timed] for value in groups]
    stages = sorted(name for name in set(a.sums) & set(b.sums) if name.startswith(arms.STAGE))
    rows = []
    for family in (
        [t for t in tested if t[2].n or t[1] is None],
        [_test((a, b), name, None, settings.kappa, runs) for name in stages],
    ):
        q = CORRECTIONS[correction]([test.p for _, _, test, _ in family])
        for one, adjusted in zip(family, q, strict=True):
            row, (name, _, _, each) = _row(one, adjusted, settings, a.kinds | b.kinds, runs), one
            if unjudged is not None and name in unjudged.shifts and row["verdict"] in MOVED:
                at = unjudged.of(difference(name, each, (a.sums[name], b.sums[name]), settings))
                row |= {name: at[name] for name in STATED}
                if at["verdict"]:
                    row |= {"verdict": at["verdict"], "reason": f"{at['why']}; {row['reason']}"}
            rows.append(row)
    return rows


def difference(name: str, each: Mapping[str, float], sums: tuple[Sums, Sums], settings: Settings) -> Difference:
    """The paired differences of a metric (query -> b - a), as the question about unjudged documents takes them."""
    recalls = [np.array([side[query][0] for query in each], np.float64) for side in sums]
    weights = weights_of(recalls[0], recalls[1], settings.kappa)
    return Difference(name, list(each), np.array(list(each.values())), weights, settings.level_quality)


def _is_time(name: str) -> bool:
    return name == arms.TIME or name.startswith(arms.STAGE)


def _test(both: tuple[Arm, Arm], name: str, value: str | None, kappa: float, runs: Runs) -> Tested:
    a, b = ({q: s for q, s in arm.sums[name].items() if value is None or arm.classes.get(q) == value} for arm in both)
    test, each = paired_test(a, b, kappa, arms.SCALE)
    return name, value, runs.widened(test, name, value, kappa), each


def _row(tested: Tested, q: float | None, settings: Settings, kinds: Mapping[str, str], runs: Runs) -> dict[str, Any]:
    name, value, test, each = tested
    is_time, stage = _is_time(name), name.removeprefix(arms.STAGE) if name.startswith(arms.STAGE) else None
    metric, _, k = (name, "", "") if is_time else name.partition("@")
    mde = detectable(test.se, test.df, settings.level_quality) if test.se else None
    order = sorted((q for q in each if each[q]), key=lambda q: (-abs(each[q]), q))
    is_lower = is_time or is_lower_better(metric)  # then fewer is better
    verdict, reason = _verdict(test, q, mde, settings, is_time=is_time, is_lower=is_lower, is_segment=value is not None)
    if lack := runs.lack(name, settings.min_blocks):
        verdict, reason = "insufficient", lack
    of = {} if is_time else Counter(kinds[query] for query in each if query in kinds)
    if capped(verdict, of) != verdict:
        verdict, reason = capped(verdict, of), f"labels are of kind {rests_on(of)}, so it is no more than a hint; {reason}"
    return {
        "family": "latency" if is_time else "quality",
        "metric": "stage_ms" if stage is not None else metric,
        "k": int(k) if k else None,
        "stage": stage,
        "segment": {"query_class": value} if value is not None else {},
        "a": _mean(test.a, is_time=is_time),
        "b": _mean(test.b, is_time=is_time),
        "effect": _mean(test.effect, is_time=False),
        "unit": "log_ratio" if is_time else "ratio",
        **dict(zip(("ci_low", "ci_high"), _interval(test), strict=True)),
        "n_queries": test.n,
        "wins": test.losses if is_lower else test.wins,
        "ties": test.ties,
        "losses": test.wins if is_lower else test.losses,
        "method": test.method,
        "p_value": test.p,
        "p_t": test.p_t,
        "p_flips": test.p_flips,
        "q_value": q,
        "mde": mde,
        "verdict": verdict,
        "reason": reason,
        "winners": [{"query": x, "effect": each[x]} for x in order if (each[x] > 0) != is_lower][:SHOWN],
        "losers": [{"query": x, "effect": each[x]} for x in order if (each[x] < 0) != is_lower][:SHOWN],
        **({"kinds": dict(of)} if rests_on(of) else {}),
    }


def _interval(test: PairedTest) -> tuple[float | None, float | None]:
    """Of the effect; none where every query differs by the same, for nothing shows then how far others would."""
    low, high = test.ci
    is_point = low is not None and high is not None and high - low <= 1e-12 * max(abs(test.effect), 1.0)
    return (None, None) if is_point else (low, high)


def _mean(value: float, *, is_time: bool) -> float | None:
    """A mean as an output has it: times as ms (geometric mean), nothing where there is no number."""
    if math.isnan(value):
        return None
    return math.exp(value) if is_time else value


def _verdict(
    test: PairedTest, q: float | None, mde: float | None, settings: Settings, *, is_time: bool, is_lower: bool, is_segment: bool
) -> tuple[str, str]:
    if lack := _lack(test, q, settings.min_segment_queries if is_segment else settings.min_queries, is_time=is_time):
        return "insufficient", lack
    floor = math.log(settings.floor_latency) if is_time else settings.floor_segment if is_segment else settings.floor_metric
    counts = counted(test.n, *((test.wins, test.losses) if is_lower else (test.losses, test.wins)), is_paired=test.is_paired)
    reason = f"{counts} ({test.method})"
    if q is not None and q <= settings.level_quality:
        if abs(test.effect) < floor:
            return "ok", f"certain, but too small to matter; {reason}"
        return ("improved" if (test.effect > 0) != is_lower else "fail"), reason
    if mde is not None and mde > (math.log(settings.mde_latency) if is_time else settings.mde_metric):
        unseen = f"a change under × {math.exp(mde):.2f}" if is_time else f"a difference under {100 * mde:.1f} points"
        return "insufficient", f"{unseen} would have gone unseen; {reason}"
    return "ok", reason


def _lack(test: PairedTest, q: float | None, minimum: int, *, is_time: bool) -> str:
    """Why these queries cannot carry a verdict; empty where they can."""
    if test.is_paired and test.method == "none" and test.n and test.a == test.b and test.a in (0.0, 1.0) and not is_time:
        return f"cannot move: {test.a:g} for every query in both arms"
    if test.n < minimum or q is None:
        queries = plural(test.n, "query", "queries")
        return f"{queries}{'' if test.is_paired else ', none of them in both arms'}; {minimum} are needed"
    if not test.is_paired and not test.se:
        return "no query is in both arms, and within each arm all queries score the same"
    return ""


def counted(n: int, worse: int, better: int, *, is_paired: bool) -> str:
    """How many queries moved which way; queries that only one arm has did not move."""
    return f"{worse} of {n} queries worse, {better} better" if is_paired else f"{n} queries, none of them in both arms"
