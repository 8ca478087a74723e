"""Windows: half-open spans of time in a named zone, and the days they are made of."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from ..base.errors import UsageError
from ..base.zone import UTC, date_of, dates_between, midnight

WEEKEND = 5  # the weekday number of Saturday


@dataclass(frozen=True)
class Day:
    """One local day, or the part of it that a window holds: start <= t < end.

    Args:
        no: number, unique and in the order of time.
        start, end: UTC.
        is_weekend: Saturday or Sunday in the zone.
    """

    no: int
    start: dt.datetime
    end: dt.datetime
    is_weekend: bool = False

    @property
    def hours(self) -> float:
        """Length in hours; a local day may have 23 or 25."""
        return (self.end - self.start).total_seconds() / 3600

    @property
    def dates(self) -> list[str]:
        """The UTC days it touches, ISO dates."""
        return [date.isoformat() for date in dates_between(self.start, self.end, UTC)]

    def is_whole(self, zone: ZoneInfo) -> bool:
        """Whether it runs from one midnight of a zone to the next."""
        date = date_of(self.start, zone)
        return (self.start, self.end) == (midnight(date, zone), midnight(date + dt.timedelta(days=1), zone))


@dataclass(frozen=True)
class Unit:
    """A window, the subject of one verdict.

    Args:
        start, end: half-open, UTC.
        days: its days, in order.
    """

    start: dt.datetime
    end: dt.datetime
    days: tuple[Day, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of its days."""
        return tuple(day.no for day in self.days)

    @property
    def kind(self) -> tuple[bool, ...]:
        """Which of its days are weekend days: windows of one kind have like traffic."""
        return tuple(day.is_weekend for day in self.days)

    def until(self, length: dt.timedelta) -> Unit:
        """Its part up to some time after its start."""
        end = min(self.end, self.start + length)
        days = tuple(replace(day, end=min(day.end, end)) for day in self.days if day.start < end)
        return Unit(self.start, end, days)

    @property
    def hours(self) -> float:
        """Length in hours."""
        return sum(day.hours for day in self.days)


def moment(text: str, zone: ZoneInfo, *, where: str) -> dt.datetime:
    """An ISO date (its midnight in the zone) or date-time (in the zone unless it names an offset), as UTC.

    Raises:
        UsageError: neither.
    """
    try:
        if len(text.strip()) == len("2026-11-01"):
            return midnight(dt.date.fromisoformat(text.strip()), zone)
        time = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is no ISO date or time", where=where, fix="For example 2026-11-01..2026-11-08") from None
    return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(dt.UTC)


def span(text: str, zone: ZoneInfo, *, where: str) -> tuple[dt.datetime, dt.datetime]:
    """``A..B`` as start and end.

    Raises:
        UsageError: not two moments, or reversed, or empty.
    """
    parts = re.split(r"\.\.", text)
    if len(parts) != 2 or not all(part.strip() for part in parts):
        raise UsageError(f"a window is A..B (A <= t < B), saw {text!r}", where=where, fix="For example 2026-11-01..2026-11-08")
    start, end = (moment(part, zone, where=where) for part in parts)
    if start >= end:
        raise UsageError(
            f"the window {text} ends before it begins", where=where, fix="A..B is A <= t < B: name the earlier moment first"
        )
    return start, end


def days_of(start: dt.datetime, end: dt.datetime, zone: ZoneInfo, first: int) -> tuple[Day, ...]:
    """The local days between two moments, cut at both ends, numbered from ``first``."""
    days = []
    for no, date in enumerate(dates_between(start, end, zone), first):
        this, following = (midnight(date + dt.timedelta(days=i), zone) for i in (0, 1))
        days.append(Day(no, max(this, start), min(following, end), date.weekday() >= WEEKEND))
    return tuple(days)


def pair(reference: str, current: str, zone: ZoneInfo) -> tuple[list[Unit], Unit]:
    """The two windows of a comparison; the reference in pieces as long as the current one, where it holds several.

    Raises:
        UsageError: windows that cannot be read, or that overlap.
    """
    a, b = span(reference, zone, where="--reference")
    c, d = span(current, zone, where="--current")
    if a < d and c < b:
        fix = "Half-open windows may touch: 2026-11-01..2026-11-08 and 2026-11-08..2026-11-09"
        raise UsageError(f"the windows overlap: {reference} and {current}", where="--current", fix=fix)
    before = days_of(a, b, zone, 0)
    now = days_of(c, d, zone, len(before))
    return pieces(before, len(now)), Unit(c, d, now)


def pieces(days: tuple[Day, ...], size: int) -> list[Unit]:
    """Days in groups of ``size``, the last full; what is left over joins the first group."""
    count = max(1, len(days) // size)
    first = len(days) - (count - 1) * size
    groups = [days[:first], *(days[first + i * size : first + (i + 1) * size] for i in range(count - 1))]
    return [Unit(group[0].start, group[-1].end, group) for group in groups]


def units_of(first: dt.datetime, last: dt.datetime, window: str, zone: ZoneInfo) -> list[Unit]:
    """Every day or week (from Monday) from the first event's to the last event's.

    Raises:
        UsageError: another kind of window.
    """
    if window not in ("day", "week"):
        raise UsageError(
            f"windows of drift are a day or a week, saw {window!r}",
            where="--window",
            fix="Or name them: --reference A..B --current C..D",
        )
    start = date_of(first, zone)
    start -= dt.timedelta(days=start.weekday() if window == "week" else 0)
    end = date_of(last, zone) + dt.timedelta(days=1)
    end += dt.timedelta(days=(7 - end.weekday()) % 7 if window == "week" else 0)
    return pieces(days_of(midnight(start, zone), midnight(end, zone), zone, 0), 7 if window == "week" else 1)
