"""Drift from a store: only the days of the windows are looked at, and what was summed of a day once is not summed again.

Sums stand for the days of the windows' zone where all windows are made of whole ones, and else for hours; those of an UTC day lie
in one file, so a day of another zone has its sums in two.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.zone import UTC, midnight, zone_of
from ..scoring import state_key
from ..store.cache import Cache, chunks, sql_hash
from ..store.duplicates import count_once
from ..store.lock import writing_if_free
from ..store.snapshot import digest
from . import state
from .lazy_state import LATE, Late
from .stored_verdicts import Verdicts
from .windows import days_of

if TYPE_CHECKING:
    from ..scoring.plan import Plan
    from ..store.source import StoredRecalls
    from .stored_verdicts import Judge
    from .windows import Day

TABLES = {"days": ("state_events", "state_stages", "state_buckets", "state_queries"), "quality": ("state_quality",), **LATE}
KEYS = {"day": "day_at", "hour": "h"}  # what a kept row finds its day by: its day's first moment, or its hour


class Days:
    """The days of one snapshot and the drift state that is kept of them, one file a day beside the other aggregates.

    Args:
        engine: holds the views `events_once` and `recalls` of the whole store.
        source: whose recalls they are.
        plan: the definition is part of what sums are kept by; the windows are of its time zone.

    Attributes:
        grain: what sums stand for, ``day`` or ``hour``; None = some window cuts through an hour, so nothing is kept.
    """

    def __init__(self, engine: Engine, source: StoredRecalls, plan: Plan) -> None:
        self.engine, self.snapshot, self.definition, self._zone = (
            engine,
            source.snapshot,
            plan.definition,
            zone_of(plan.cut.timezone),
        )
        self.span = source.span
        self.chosen = list(self.snapshot.days)
        self.grain: str | None = None
        self._every: Sequence[Day] = ()
        self._duplicates = source.duplicates

    def look_at(self, every: Sequence[Day]) -> None:
        """From here on `recalls` holds no other days than those of the windows."""
        self._every = every
        wanted = {date for day in every for date in day.dates}
        self.chosen = [day for day in self.snapshot.days if day in wanted]
        self.grain = self._grain_of(every) if self.chosen else None
        count_once(self.engine, self.snapshot, self._duplicates, self.chosen)
        self.frame(every)

    def frame(self, every: Sequence[Day]) -> None:
        """The view drift_events of some days."""
        state.frame(self.engine, every, by_day=self.grain == "day")

    def _grain_of(self, every: Sequence[Day]) -> str | None:
        if all(day.is_whole(self._zone) for day in every):
            return "day"
        return "hour" if all(at.timestamp() % 3600 == 0 for day in every for at in (day.start, day.end)) else None

    def load(self, kind: str, make: Callable[[], None], words: Sequence[str], days: Sequence[int] | None = None) -> None:
        """The state tables of a kind for the days looked at; ``make`` sums what is missing of drift_events.

        Args:
            kind: of ``TABLES``.
            make: drift_events -> the tables.
            words: what else the sums depend on.
            days: numbers of the days that are wanted; None = all that are looked at.
        """
        every = [day for day in self._every if days is None or day.no in days]
        wanted = {date for day in every for date in day.dates}
        dates = [day for day in self.chosen if day in wanted]
        cache = self._cache(kind, words, is_writer=False)
        if self._missing(cache, dates):
            with writing_if_free(self.snapshot.store) as is_writer:
                cache = self._cache(kind, words, is_writer=is_writer)
                self._sum(cache, kind, make, dates)
            count_once(self.engine, self.snapshot, self._duplicates, self.chosen)
            self.frame(self._every)
        files = quoted_paths(cache.files(dates))
        numbers = quoted([day.no for day in every])
        key = KEYS[str(self.grain)]
        self.engine.file(f"5_drift/day_of_{self.grain}.sql")
        for table in TABLES[kind]:
            names = ", ".join(f"k.{identifier(name)}" for name in cache.head["columns"][table])
            self.engine.run(
                f"""create or replace table {table} as select d.day_no, {names}
                from read_parquet({files}, union_by_name = true) as k inner join drift_day_of as d using ({key})
                where k.rw_table = {quoted(table)} and list_contains({numbers}, d.day_no)""",
                what=f"loading {table}",
            )

    def late(self) -> Late:
        """The tables that only some findings ask for, of what is kept of the days looked at."""
        return Late(
            self.engine,
            bring=lambda kind, days, words: self.load(kind, lambda: self.engine.file(f"5_drift/state_{kind}.sql"), words, days),
            has_hours=self.grain == "hour",
        )

    def verdicts(self, words: Sequence[str], judge: Judge) -> Verdicts:
        """The verdicts that are kept of windows; ``words`` say what they depend on besides events, labels and definition."""
        return Verdicts(self.snapshot, [*self._words, *words], self._head, judge)

    def _cache(self, kind: str, words: Sequence[str], *, is_writer: bool) -> Cache:
        grain = f"day of {self._zone.key}" if self.grain == "day" else "hour"
        name = digest([json.dumps([kind, grain, *self._words, *words])])[:16]
        cache = Cache(self.engine, self.snapshot.store, f"drift-{name}", is_writer=is_writer)
        cache.head |= self._head
        return cache

    @cached_property
    def _words(self) -> list[str]:
        """What every kind of sums depends on."""
        return [state_key.state_key(self.engine, self.definition), self.engine.run("select opt_join()")[0][0]]

    @cached_property
    def _head(self) -> dict[str, str]:
        return {"labels": state_key.labels_hash(self.engine), "sql": sql_hash()}

    def _missing(self, cache: Cache, dates: Sequence[str]) -> list[str]:
        found = set(cache.missing(self.snapshot))
        return [day for day in dates if day in found]

    def _sum(self, cache: Cache, kind: str, make: Callable[[], None], dates: Sequence[str]) -> None:
        """The days that are not kept yet, a few at a time."""
        missing = self._missing(cache, dates)
        for days in chunks(missing, self.snapshot):
            count_once(self.engine, self.snapshot, self._duplicates, days)
            pieces = self._pieces(days)
            self.frame([piece for _, piece, _ in pieces])
            make()
            cache.head["columns"] = {table: [c for c in self.engine.columns(table) if c != "day_no"] for table in TABLES[kind]}
            for day in days:
                own = ", ".join(f"({piece.no}, {quoted(at.isoformat())}::timestamptz)" for of, piece, at in pieces if of == day)
                parts = [
                    f"""select {quoted(table)} as rw_table, p.day_at, t.* exclude (day_no)
                    from {table} as t inner join (values {own}) as p(day_no, day_at) using (day_no)"""
                    for table in TABLES[kind]
                ]
                cache.put(self.engine, day, self.snapshot, " union all by name ".join(parts))
        if missing:
            cache.save()

    def _pieces(self, dates: Sequence[str]) -> list[tuple[str, Day, dt.datetime]]:
        """The parts of UTC days that sums are made of, one for each day of the zone (of UTC, where sums are by hour), with that day's first moment."""
        zone = self._zone if self.grain == "day" else UTC
        found: list[tuple[str, Day, dt.datetime]] = []
        for date in dates:
            start, end = (midnight(dt.date.fromisoformat(date) + dt.timedelta(days=i), UTC) for i in (0, 1))
            found += [
                (date, piece, midnight(piece.start.astimezone(zone).date(), zone))
                for piece in days_of(start, end, zone, len(found))
            ]
        return found
