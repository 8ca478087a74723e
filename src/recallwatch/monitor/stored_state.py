"""Drift from a store: only the days of the windows are read, and the sums of a day are computed once and stored.

Sums are by day of the windows' time zone where all windows consist of whole days, else by hour; those of a UTC day are
in one file, so a day of another time zone has its sums in two.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..base import sqlfiles
from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.zone import UTC, midnight, zone_of
from ..scoring import state_key
from ..store.cache import Cache, chunks
from ..store.duplicates import count_once
from ..store.label_days import missing_days
from ..store.lock import writing_if_free
from ..store.marker import NO_DAY
from ..store.snapshot import digest
from . import state
from .lazy_state import LAZY_TABLES, LazyTables, made
from .stored_verdicts import Verdicts
from .windows import days_of

if TYPE_CHECKING:
    from ..scoring.plan import Plan
    from ..store.source import StoredRecalls
    from .stored_verdicts import Judge
    from .windows import Day

TABLES = {"days": ("state_events", "state_stages", "state_buckets", "state_queries"), "quality": ("state_quality",), **LAZY_TABLES}
KEYS = {"day": "day_at", "hour": "h"}  # what joins a stored row to its day: the day's first moment, or the hour


class Days:
    """The days of one snapshot and their stored drift state, one file a day beside the other aggregates.

    Args:
        engine: holds the views `events_once` and `recalls` of the whole store.
        source: whose recalls they are.
        plan: its definition is part of the key of the stored sums; the windows are in its time zone.

    Attributes:
        grain: of the sums, ``day`` or ``hour``; None = some window begins or ends within an hour, so nothing is stored.
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
        self._framed: list[Day] | None = None
        self._prints: dict[str, str] = {}  # of the labels, which stay the same here
        self._duplicates = source.duplicates
        self._are_few = source.snapshot.logs().are_few  # then the sums of all days that are missing cost what those of one do

    def limit_to(self, windows_days: Sequence[Day]) -> None:
        """Limit `recalls` to the days of the windows."""
        self._every = windows_days
        wanted = {date for day in windows_days for date in day.dates}
        self.chosen = [day for day in self.snapshot.days if day in wanted]
        self.grain = self._grain_of(windows_days) if self.chosen else None
        self._read(self.chosen)
        self._frame(windows_days)
        state.views(self.engine, by_day=self.grain == "day")

    def _frame(self, days: Sequence[Day]) -> None:
        """Limit drift_events to some days, unless it is: the kinds of sums are mostly made for the same ones."""
        if self._framed != list(days):
            self._framed = list(days)
            state.frame(self.engine, days)

    def _read(self, dates: Sequence[str]) -> None:
        """Limit `recalls` to some days, which saves reading the others; few recalls are held as a table, whole."""
        if not self._are_few:
            count_once(self.engine, self.snapshot, self._duplicates, dates)

    def _grain_of(self, windows_days: Sequence[Day]) -> str | None:
        if all(day.is_whole(self._zone) for day in windows_days):
            return "day"
        return "hour" if all(at.timestamp() % 3600 == 0 for day in windows_days for at in (day.start, day.end)) else None

    def load(self, kind: str, make: Callable[[], None], words: Sequence[str], days: Sequence[int] | None = None) -> None:
        """Load the state tables of a kind for the days of the windows; ``make`` computes missing days from drift_events.

        Args:
            kind: of ``TABLES``.
            make: drift_events -> the tables.
            words: what else the sums depend on.
            days: numbers of the days that are wanted; None = all of the windows.
        """
        windows_days = [day for day in self._every if days is None or day.no in days]
        wanted = {date for day in windows_days for date in day.dates}
        dates = [day for day in self.chosen if day in wanted]
        cache = self.summed(kind, make, words, dates)
        files = quoted_paths(cache.files(dates))
        numbers = quoted([day.no for day in windows_days])
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

    def summed(self, kind: str, make: Callable[[], None], words: Sequence[str], dates: Sequence[str]) -> Cache:
        """The stored sums of a kind, those of missing days computed now and stored."""
        cache = self._cache(kind, words, is_writer=False)
        if self._missing(cache, dates):
            with writing_if_free(self.snapshot.store) as is_writer:
                cache = self._cache(kind, words, is_writer=is_writer)
                self._sum(cache, kind, make, self.chosen if self._are_few else dates)
            self._read(self.chosen)
            self._frame(self._every)
        return cache

    def lazy_tables(self) -> LazyTables:
        """The tables that only some findings need, from the stored sums."""
        return LazyTables(
            self.engine,
            bring=lambda kind, days, words: self.load(kind, lambda: made(self.engine, kind), words, days),
            has_hours=self.grain == "hour",
            together=[day.no for day in self._every] if self._are_few else (),
        )

    def verdicts(self, words: Sequence[str], judge: Judge) -> Verdicts:
        """The stored verdicts of windows; ``words`` name what they depend on besides events, labels and definition."""
        return Verdicts(self.snapshot, [*self._words, *words], self._head, judge)

    def _cache(self, kind: str, words: Sequence[str], *, is_writer: bool) -> Cache:
        grain = f"day of {self._zone.key}" if self.grain == "day" else "hour"
        name, base = (digest([json.dumps([kind, grain, *own, *words])]) for own in (self._words, self._words[1:]))
        cache = Cache(self.engine, self.snapshot.store, f"drift-{name[:16]}", is_writer=is_writer)
        cache.head |= {**self._head, "base": base}
        return cache

    @cached_property
    def _words(self) -> list[str]:
        """What the sums of every kind depend on."""
        every = state_key.state_key(self.engine, self.definition)
        return [every, state_key.options_key(self.definition), self.engine.run("select opt_join()")[0][0]]

    @cached_property
    def _head(self) -> dict[str, str]:
        return {"labels": state_key.labels_hash(self.engine), "sql": sqlfiles.sql_hash()}

    def _missing(self, cache: Cache, dates: Sequence[str]) -> list[str]:
        starts = {day: midnight(dt.date.fromisoformat(day), UTC) for day in dates if day != NO_DAY}
        bounds = {day: (starts[day], starts[day] + dt.timedelta(days=1)) if day in starts else (None, None) for day in dates}
        return missing_days(self.engine, cache, self.snapshot, bounds, prints=self._prints)

    def _sum(self, cache: Cache, kind: str, make: Callable[[], None], dates: Sequence[str]) -> None:
        """Sum and store the days that are missing, a few at a time."""
        missing = self._missing(cache, dates)
        for days in chunks(missing, self.snapshot):
            self._read(days)
            pieces = self._pieces(days)
            self._frame([piece for _, piece, _ in pieces])
            make()
            cache.head["columns"] = {table: [c for c in self.engine.columns(table) if c != "day_no"] for table in TABLES[kind]}
            own = ", ".join(f"({piece.no}, {quoted(at.isoformat())}::timestamptz, {quoted(of)})" for of, piece, at in pieces)
            parts = [
                f"""select {quoted(table)} as rw_table, p.day_at, t.* exclude (day_no), p.rw_day
                from {table} as t inner join (values {own}) as p(day_no, day_at, rw_day) using (day_no)"""
                for table in TABLES[kind]
            ]
            cache.put_days(self.engine, days, self.snapshot, " union all by name ".join(parts))
        if missing:
            cache.save()

    def _pieces(self, dates: Sequence[str]) -> list[tuple[str, Day, dt.datetime]]:
        """The parts of UTC days that are summed, one for each day of the zone (of UTC, where sums are by hour), with that day's first moment."""
        zone = self._zone if self.grain == "day" else UTC
        pieces: list[tuple[str, Day, dt.datetime]] = []
        for date in dates:
            start, end = (midnight(dt.date.fromisoformat(date) + dt.timedelta(days=i), UTC) for i in (0, 1))
            pieces += [
                (date, piece, midnight(piece.start.astimezone(zone).date(), zone))
                for piece in days_of(start, end, zone, len(pieces))
            ]
        return pieces
