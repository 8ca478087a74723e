"""The days of a store's daily sums: of UTC, or of the time zone of daily windows, so that each event of a window is of one day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from ..base.engine import Engine, quoted
from ..base.zone import UTC, dates_between, midnight, zone_of
from ..scoring.binding import Cut
from .cache import Cache
from .duplicates import count_once
from .marker import NO_DAY
from .snapshot import Snapshot, digest


@dataclass(frozen=True)
class Calendar:
    """The days of one snapshot.

    Args:
        snapshot: what is committed.
        zone: None = days of UTC, and the one of events without a time.
        days: day -> the UTC days that its events are stored under.
    """

    snapshot: Snapshot
    zone: ZoneInfo | None
    days: dict[str, tuple[str, ...]]

    def inputs(self, day: str) -> str:
        """Of the parts that hold events of a day: equal = what was computed from them still holds."""
        return digest({marker.events for utc in self.days[day] for marker in self.snapshot.days[utc]})

    @property
    def bounds(self) -> dict[str, tuple[dt.datetime | None, dt.datetime | None]]:
        """Day -> its first moment and that of the next; None = events without a time."""
        return {day: (None, None) if day == NO_DAY else (self._start(day), self._start(day, 1)) for day in self.days}

    def n_events(self, day: str) -> int:
        """Events stored under its UTC days, duplicates included."""
        return sum(self.snapshot.n_events(utc) for utc in self.days[day])

    def count_once(self, engine: Engine, duplicates: Cache, days: Iterable[str]) -> None:
        """The views `events` and `events_once` of some days."""
        chosen = list(days)
        stored = sorted({utc for day in chosen for utc in self.days[day]})
        count_once(engine, self.snapshot, duplicates, stored, where=self._where(chosen))

    def _where(self, days: list[str]) -> str:
        if self.zone is None:
            return ""
        dated = [day for day in days if day != NO_DAY]
        ends = [(quoted(self._start(day).isoformat()), quoted(self._start(day, 1).isoformat())) for day in dated]
        parts = [f'("timestamp" >= {start}::timestamptz and "timestamp" < {end}::timestamptz)' for start, end in ends]
        return " or ".join([*parts, *(['"timestamp" is null'] if len(dated) < len(days) else [])])

    def _start(self, day: str, later: int = 0) -> dt.datetime:
        return midnight(dt.date.fromisoformat(day) + dt.timedelta(days=later), self.zone or UTC)

    def key(self, moment: str) -> str:
        """SQL of the day of an event's or a window's moment, as a text that costs little."""
        return f"day_key({moment})" if self.zone is None else f"coalesce(epoch_us(window_of({moment}))::varchar, {quoted(NO_DAY)})"

    def key_of(self, day: str) -> str:
        """SQL of the same text for a day."""
        if self.zone is not None and day != NO_DAY:
            return quoted(str(round(self._start(day).timestamp() * 1_000_000)))
        return quoted(day) if day == NO_DAY else f"day_key({quoted(day)}::timestamptz)"


def calendar_of(snapshot: Snapshot, cut: Cut) -> Calendar:
    """The days that windows of this cut are made of; windows of a day in a zone are its days."""
    if cut.window != "day" or cut.timezone == "UTC":
        return Calendar(snapshot, None, {day: (day,) for day in snapshot.days})
    zone = zone_of(cut.timezone)
    days: dict[str, tuple[str, ...]] = {}
    for utc in snapshot.days:
        if utc == NO_DAY:
            days[NO_DAY] = (NO_DAY,)
        else:
            start = midnight(dt.date.fromisoformat(utc), UTC)
            for date in dates_between(start, start + dt.timedelta(days=1), zone):
                days[date.isoformat()] = (*days.get(date.isoformat(), ()), utc)
    return Calendar(snapshot, zone, days)
