"""Time zones by one database, the engine's: windows in SQL and days in Python begin at the same moment.

Python's own database is another edition on each machine; where the two differ, a day's events would fall between two windows.

A date of a zone is the time from its midnight to the next date's: clocks that go back over midnight make it begin once, the first
time, and a date that a zone skipped has no length.
"""

from __future__ import annotations

import datetime as dt
import struct
from bisect import bisect_right
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from .engine import Engine, quoted
from .errors import RecallwatchError, UsageError

UTC = ZoneInfo("UTC")
DAY = dt.timedelta(days=1)
SECONDS = 86400
_EPOCH = dt.date(1970, 1, 1).toordinal()
_HEADER = struct.Struct(">4sc15x6I")
_KIND = struct.Struct(">iBB")
Changes = tuple[
    tuple[int, int], ...
]  # moment (epoch s), offset from then on (s), in order; the first also holds for all time before


@cache
def zone_of(name: str) -> ZoneInfo:
    """A zone as the engine knows it from 1970 to 2100; before and after it stays as it was at that end.

    Raises:
        UsageError: no such zone.
    """
    return UTC if name == "UTC" else ZoneInfo.from_file(BytesIO(_tzif(changes_of(name))), key=name)


@cache
def changes_of(name: str) -> Changes:
    """Every change of a zone's offset: looked for day by day, then closer.

    Raises:
        UsageError: no such zone.
    """
    if name == "UTC":
        return ((0, 0),)
    with Engine(threads=1) as engine:
        try:
            engine.run(f"create macro offset_at(t) as (epoch(to_timestamp(t) at time zone {quoted(name)}) - t)::integer")
            first, *changes = engine.run(
                f"""select t, offset_at(t) as seconds from range(0, 4102444800, {SECONDS}) as r(t)
                qualify seconds is distinct from lag(seconds) over (order by t) order by t"""
            )
            for step, span in ((1800, SECONDS), (60, 1800), (1, 60)):
                at, seconds = ([change[i] for change in changes] for i in (0, 1))
                changes = engine.run(
                    f"""select min(m), seconds from (
                        select high, seconds, unnest(range(high - {span} + {step}, high + 1, {step})) as m
                        from (select unnest({quoted(at)}::bigint[]) as high, unnest({quoted(seconds)}::integer[]) as seconds))
                    where offset_at(m) = seconds group by high, seconds order by 1"""
                )
        except RecallwatchError:
            fix = "Use an IANA name such as Europe/Berlin"
            raise UsageError(f"unknown time zone {name!r}", where="--timezone", fix=fix) from None
    return (first, *changes)


def _tzif(changes: Changes) -> bytes:
    """The offsets in the form zoneinfo reads (RFC 8536, version 2, its first block empty)."""
    (_, first), *later = changes
    kinds = list(dict.fromkeys([first, *(seconds for _, seconds in later)]))
    return b"".join(
        [
            _HEADER.pack(b"TZif", b"2", 0, 0, 0, 0, 1, 1),
            _KIND.pack(0, 0, 0) + b"\0",
            _HEADER.pack(b"TZif", b"2", 0, 0, 0, len(later), len(kinds), 1),
            struct.pack(f">{len(later)}q", *(at for at, _ in later)),
            bytes(kinds.index(seconds) for _, seconds in later),
            *(_KIND.pack(seconds, 0, 0) for seconds in kinds),
            b"\0\n\n",
        ]
    )


def midnight(date: dt.date, zone: ZoneInfo) -> dt.datetime:
    """When a date begins in a zone, as UTC: the first moment that is of this date, or of a later one where it was skipped."""
    changes, wall = changes_of(zone.key), (date.toordinal() - _EPOCH) * SECONDS
    near = max(bisect_right(changes, (wall - 2 * SECONDS,)) - 1, 0)
    for (at, seconds), (end, _) in zip(changes[near:], (*changes[near + 1 :], (1 << 62, 0)), strict=True):
        begins = wall - seconds if near == 0 and at == changes[0][0] else max(at, wall - seconds)
        if begins < end:
            return dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(seconds=begins)
    raise AssertionError("the last offset holds for ever")


def date_of(moment: dt.datetime, zone: ZoneInfo) -> dt.date:
    """The date of a zone that a moment belongs to."""
    date = moment.astimezone(zone).date()
    while midnight(date + DAY, zone) <= moment:
        date += DAY
    return date


def dates_between(start: dt.datetime, end: dt.datetime, zone: ZoneInfo) -> list[dt.date]:
    """The dates of a zone that [start, end) touches, without those it skipped."""
    first, last = date_of(start, zone), date_of(end - dt.timedelta(microseconds=1), zone)
    dates = [first + i * DAY for i in range((last - first).days + 1)]
    return [date for date in dates if midnight(date, zone) < midnight(date + DAY, zone)]


@cache
def odd_dates(name: str) -> list[dict[str, Any]]:
    """Where clocks went back over midnight: ``from_us`` to ``to_us`` shows the evening once more, and belongs to ``date`` already."""
    dates, changes = [], changes_of(name)
    for (_, before), (at, after) in pairwise(changes):
        day = (at + after) // SECONDS + 1  # the next midnight that the clocks come to
        again = day * SECONDS - (at + after)
        if again < before - after and again < SECONDS:
            date = dt.date.fromordinal(_EPOCH + day)
            dates.append({"from_us": at * 1_000_000, "to_us": (at + again) * 1_000_000, "date": date.isoformat()})
    return dates


@cache
def odd_midnights(name: str) -> dict[str, int]:
    """Dates that begin at another moment than the engine's own reading of their midnight, with that moment (epoch µs)."""
    days = sorted({(at + seconds) // SECONDS + i for at, seconds in changes_of(name)[1:] for i in (-1, 0, 1)})
    dates = [dt.date.fromordinal(_EPOCH + day).isoformat() for day in days]
    zone = zone_of(name)
    with Engine(threads=1) as engine:
        read = engine.run(
            f"select d, epoch_us(d::timestamp at time zone {quoted(name)}) from (select unnest({quoted(dates)}::varchar[]) as d)"
        )
    begins = {date: round(midnight(dt.date.fromisoformat(date), zone).timestamp()) * 1_000_000 for date in dates}
    return {date: begins[date] for date, us in read if begins[date] != us}
