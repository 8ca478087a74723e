"""Which windows can judge or be judged: outliers in time, partial windows at both ends, windows with next to no traffic."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from ..base.errors import UsageError
from ..base.rows import iso
from ..document.numbers import count, plural
from ..stats.closed_forms import among

if TYPE_CHECKING:
    from .options import DriftWindows
    from .settings import Settings
    from .state import State
    from .windows import Unit

SLACK_HOURS = 1  # a window whose first or last recall is this much nearer than in the others is partial
CERTAIN = 5.0  # recalls that a window's own rate puts into the missing time: e^-5 that none falls there by chance
NAMED = 3  # gaps in a note


def complete(state: State, every: Sequence[Unit], requested: DriftWindows, settings: Settings) -> tuple[list[Unit], list[str]]:
    """Windows with recalls, without outliers in time and partial windows at both ends; and a note for all that is left out or absent.

    Raises:
        UsageError: only the newest window is requested, and it is partial.
    """
    filled, notes = _bulk(state, [unit for unit in every if state.total("n", unit.numbers)], every, settings)
    notes += _gaps(every, filled)
    is_continuous = _is_continuous(state, filled, settings)
    if len(filled) > 1 and is_continuous and (late := _missing(state, filled, place=0)):
        notes.append(f"the first window {iso(filled[0].start)} is partial: its first recall is {late}; it was left out")
        filled = filled[1:]
    if requested.incomplete or len(filled) < (2 if is_continuous else 3) or not (early := _missing(state, filled, place=-1)):
        return filled, notes
    text = f"the newest window {iso(filled[-1].start)} is incomplete: its last recall is {early}"
    if not requested.series:
        raise UsageError(text, where="--window", fix="Wait until it is over, or pass --incomplete")
    return filled[:-1], [*notes, text + "; it was left out"]


def _bulk(state: State, filled: list[Unit], every: Sequence[Unit], settings: Settings) -> tuple[list[Unit], list[str]]:
    """Windows at both ends that have next to no recalls and stand apart from the others hold wrong clocks, not traffic."""
    n = {unit: state.total("n", unit.numbers) for unit in filled}
    least = settings.min_traffic * median(n.values() or [0])
    place = {unit: i for i, unit in enumerate(every)}
    groups: list[list[Unit]] = []
    for unit in filled:
        if not groups or place[unit] - place[groups[-1][-1]] > 1:
            groups.append([])
        groups[-1].append(unit)
    notes = []
    for side, end in (("before", 0), ("after", -1)):
        apart: list[Unit] = []
        while len(groups) > 1 and all(n[unit] < least for unit in groups[end]):
            apart += groups.pop(end)
        if apart:
            at = ", ".join(iso(unit.start) for unit in apart[:NAMED])
            notes.append(
                f"{plural(sum(n[unit] for unit in apart), 'recall')} far {side} the others, at {at}: a wrong clock? Left out"
            )
    return [unit for group in groups for unit in group], notes


def _gaps(every: Sequence[Unit], filled: Sequence[Unit]) -> list[str]:
    """A sentence for each stretch of windows without recalls between windows with some; only the last few are named."""
    if not filled:
        return []
    inside = every[every.index(filled[0]) : every.index(filled[-1]) + 1]
    gaps: list[list[Unit]] = []
    for before, unit in pairwise(inside):
        if unit not in filled:
            if before in filled:
                gaps.append([])
            gaps[-1].append(unit)
    sentences = [f"no recalls from {iso(gap[0].start)} to {iso(gap[-1].end)}" for gap in gaps]
    more = [f"{plural(len(sentences) - NAMED, 'earlier gap')} without recalls"] if len(sentences) > NAMED else []
    return more + sentences[-NAMED:]


def _is_continuous(state: State, filled: Sequence[Unit], settings: Settings) -> bool:
    """Whether most windows have traffic all day long; a replay of some minutes may run at any time."""
    hours = [len(set(state.events["hour"][among(state.events["day_no"], unit.numbers)].tolist())) for unit in filled]
    return bool(hours) and median(hours) >= settings.min_hours


def _missing(state: State, filled: Sequence[Unit], *, place: int) -> str:
    """How much nearer the first recall of the first window (the last of the last one) stands than in three of four others; empty = not."""
    name, far = ("first_us", True) if place == 0 else ("last_us", False)
    unit, others = filled[place], [unit for unit in filled if unit is not filled[place]]
    own = _moment(state, unit, name) - unit.start
    times = sorted(_moment(state, other, name) - other.start for other in others)
    usual = times[len(times) - 1 - len(times) // 4] if far else times[len(times) // 4]
    gap = own - usual if far else usual - own
    present = _moment(state, unit, "last_us") - _moment(state, unit, "first_us") + dt.timedelta(hours=SLACK_HOURS)
    if gap <= dt.timedelta(hours=SLACK_HOURS) or state.total("n", unit.numbers) * (gap / present) < CERTAIN:
        return ""
    return f"{_hours(own)} after its start, the others' about {_hours(usual)}"


def _moment(state: State, unit: Unit, name: str) -> dt.datetime:
    us = state.events[name][among(state.events["day_no"], unit.numbers)]
    return dt.datetime.fromtimestamp(int(us.min() if name == "first_us" else us.max()) / 1e6, dt.UTC)


def _hours(delta: dt.timedelta) -> str:
    return f"{delta.total_seconds() / 3600:.1f} h"


class Traffic:
    """Recalls of each window, and which windows have next to none.

    Args:
        state: counts.
        settings: ``min_traffic``.
        every: the windows.
    """

    def __init__(self, state: State, settings: Settings, every: Sequence[Unit]) -> None:
        self._settings = settings
        self._n = {unit: state.total("n", unit.numbers) for unit in every}

    def usual(self, unit: Unit, before: Sequence[Unit]) -> float:
        """The median of a window and of those before it, of its kind of day where there are any."""
        recent = before[-self._settings.max_reference :]
        same = [other for other in recent if other.kind == unit.kind]
        return median(self._n[one] for one in (*(same or recent), unit))

    def is_enough(self, unit: Unit, usual: float) -> bool:
        """Whether a window can judge or be judged where this is usual."""
        return self._n[unit] >= self._settings.min_traffic * usual

    def lack(self, unit: Unit, usual: float) -> str:
        """Why a window is not judged."""
        return f"{plural(self._n[unit], 'recall')}, {count(round(usual))} are usual"
