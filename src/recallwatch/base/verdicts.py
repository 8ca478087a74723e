"""The one vocabulary of verdicts: their order, what counts as moved, a family's verdict, which of them alarm.

On the ground floor, because drift, comparisons of variants, gates, pages and exit codes all speak it and none of them decides it.
A *row* is a finding as the JSON has it: ``family``, ``verdict``, ``segment`` and, for times, ``stage`` and ``quantile``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import ExitCode, UsageError
from .registry import known

FAMILIES = ("quality", "answers", "latency", "mix", "labels", "health")
VERDICTS = ("fail", "warn", "insufficient", "improved", "ok")  # the gravest first; the pass of a gate is ok
GATES = ("pass", "fail", "insufficient", "warn")  # verdicts of a gate
MOVED = ("fail", "warn", "improved")  # something changed, for better or worse
CERTAIN = ("fail", "improved")  # it changed for certain
ALARMS = {
    "fail": ("fail",),
    "warn": ("fail", "warn"),
    "insufficient": ("fail", "warn", "insufficient"),
    "never": (),
}  # by --fail-on

Row = Mapping[str, Any]


def gravest(verdicts: Iterable[str]) -> str:
    """The first of the verdicts in the order of VERDICTS; ok where there is none.

    Example:
        >>> gravest(["pass", "insufficient", "improved"])
        'insufficient'
    """
    seen = set(verdicts)
    return next((word for word in VERDICTS if word in seen), "ok")


def place(verdict: str) -> int:
    """Sort key of a row in reports: moved rows first, the worst first, then untested rows, then the rest."""
    order = (*MOVED, "insufficient", "ok", "pass")
    return order.index(verdict)


def headlines(rows: Sequence[Row]) -> list[Row]:
    """The headline tests: the first quality metric over everything, and the p50 of the total time."""
    quality = [row for row in rows if row["family"] == "quality" and not row["segment"]]
    speed = [row for row in rows if row["family"] == "latency" and row["stage"] == "total" and row.get("quantile") == 0.5]
    return [*quality[:1], *speed[:1]]


def overall(rows: Sequence[Row]) -> str:
    """One verdict: the gravest; what could not be tested counts only where a headline test could not be."""
    quiet = [row["verdict"] for row in headlines(rows) if row["verdict"] == "insufficient"]
    return gravest([row["verdict"] for row in rows if row["verdict"] != "insufficient"] + quiet)


def families(rows: Sequence[Row]) -> dict[str, str]:
    """Family -> its verdict, "" where it has no test; a family in which nothing could be tested is insufficient."""
    verdicts = {}
    for family in FAMILIES:
        own = [row for row in rows if row["family"] == family]
        is_untested = own and all(row["verdict"] == "insufficient" for row in own)
        verdicts[family] = "insufficient" if is_untested else overall(own) if own else ""
    return verdicts


def check_level(fail_on: str) -> None:
    """Refuse a level that does not exist, before any data is read.

    Raises:
        UsageError: no such level.
    """
    if fail_on not in ALARMS:
        raise UsageError(f"unknown value {fail_on!r}", where="--fail-on", fix=known(fail_on, ALARMS))


def exit_code(verdict: str, fail_on: str) -> ExitCode:
    """The exit status of a verdict: 4 where its level is one that alarms."""
    return ExitCode.ALARM if verdict in ALARMS[fail_on] else ExitCode.FINE
