"""Drift from a store: only the days of the windows are looked at, and what was summed of a day once is not summed again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .. import keys, scoring
from ..engine import Engine, identifier, quoted
from ..loaded import labels_of
from ..measure import refuse_no_time
from ..store.cache import Cache, chunks, sql_hash
from ..store.deliveries import count_once, find_duplicates
from ..store.layout import Store
from ..store.lock import writing_if_free
from ..store.marker import NO_DAY
from ..store.reading import Snapshot, digest, refuse_empty, rejects_of, take
from . import state
from .late import LATE, Late
from .verdicts import Verdicts
from .windows import Day

if TYPE_CHECKING:
    from ..config import Definition
    from ..request import Request
    from .verdicts import Judge

TABLES = {"days": ("state_events", "state_stages", "state_buckets", "state_queries"), "quality": ("state_quality",), **LATE}
BY_DAY = ("quality", "found", "slowest")  # kinds whose rows stand for a day where windows are made of UTC days (drift_hour)
HOUR = dt.timedelta(hours=1)


def prepare(engine: Engine, store: Store, labels: Any, definition: Definition, request: Request, *, needs_time: bool) -> Days:
    """A store's events and labels up to the view `recalls`; options must be bound.

    Raises:
        UsageError: no labels given, and none kept.
        InputError: an empty or damaged store, events without timestamps where ``needs_time``.
    """
    snapshot = take(store)
    refuse_empty(snapshot)
    if needs_time:
        missing = sum(found.days[NO_DAY] for found in snapshot.days.get(NO_DAY, []))
        refuse_no_time(missing, sum(found.n_events for found in snapshot.markers))
    labels_of(engine, store, labels, request)
    rejects_of(engine, snapshot)
    engine.run("create or replace view drift_rejects as select source, reason from stored_rejects")
    firsts = ", ".join(
        f"({quoted(found.source)}, {quoted(found.first_at)}::timestamptz)" for found in snapshot.markers if found.rejects
    )
    rows = f"(values {firsts}) as t(source, first_at)" if firsts else "(select '' as source, null::timestamptz as first_at limit 0)"
    engine.run(f"create or replace view drift_firsts as from {rows}")
    return Days(engine, snapshot, definition)


class Days:
    """The days of one snapshot and the drift state that is kept of them, one file a day beside the other aggregates.

    Args:
        engine: holds the labels; gets the views `events_once` and `recalls`.
        snapshot: what is committed.
        definition: what the metrics mean; part of the key.
    """

    def __init__(self, engine: Engine, snapshot: Snapshot, definition: Definition) -> None:
        self.engine, self.snapshot, self.definition = engine, snapshot, definition
        self.logs = snapshot.logs()
        self.chosen = list(snapshot.days)
        self._every: Sequence[Day] = ()
        self._by_day = False
        self._duplicates = find_duplicates(engine, snapshot, is_writer=False)
        count_once(engine, snapshot, self._duplicates, self.chosen)
        scoring.join_labels(engine, log_columns=set(self.logs.names.values()))

    @property
    def span(self) -> tuple[dt.datetime | None, dt.datetime | None]:
        """First and last event, as the markers know them."""
        ends = [(found.first_at, found.last_at) for found in self.snapshot.markers if found.first_at and found.last_at]
        if not ends:
            return None, None
        return dt.datetime.fromisoformat(min(first for first, _ in ends)), dt.datetime.fromisoformat(max(last for _, last in ends))

    def look_at(self, every: Sequence[Day]) -> None:
        """From here on `recalls` holds no other days than those of the windows."""
        self._every = every
        self._by_day = self.is_whole_days(every)
        wanted = {date for day in every for date in day.dates}
        self.chosen = [day for day in self.snapshot.days if day in wanted]
        count_once(self.engine, self.snapshot, self._duplicates, self.chosen)

    def is_whole_hours(self, every: Sequence[Day]) -> bool:
        """Whether sums by UTC hour can answer for these days; an edge at 12:05, or of a zone off by half an hour, cuts through one."""
        return bool(self.chosen) and all(at.timestamp() % 3600 == 0 for day in every for at in (day.start, day.end))

    def is_whole_days(self, every: Sequence[Day]) -> bool:
        """Whether these days are UTC days, so that sums by day answer for them."""
        return self.is_whole_hours(every) and all(at.timestamp() % 86400 == 0 for day in every for at in (day.start, day.end))

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
            state.frame(self.engine, self._every, by_day=self._by_day)
        files = quoted(cache.files(dates))
        numbers = quoted([day.no for day in every])
        self.engine.run("create or replace table drift_day_of as select distinct h, day_no from drift_slots")
        for table in TABLES[kind]:
            names = ", ".join(f"k.{identifier(name)}" for name in cache.head["columns"][table])
            self.engine.run(
                f"""create or replace table {table} as select d.day_no, {names}
                from read_parquet({files}, union_by_name = true) as k inner join drift_day_of as d using (h)
                where k.rw_table = {quoted(table)} and list_contains({numbers}, d.day_no)""",
                what=f"loading {table}",
            )

    def late(self, every: Sequence[Day]) -> Late:
        """The tables that only some findings ask for, of what is kept of the days looked at."""
        return Late(
            self.engine,
            bring=lambda kind, days, words: self.load(kind, lambda: self.engine.file(f"5_drift/state_{kind}.sql"), words, days),
            has_hours=not self.is_whole_days(every),
        )

    def verdicts(self, words: Sequence[str], judge: Judge) -> Verdicts:
        """The verdicts that are kept of windows; ``words`` say what they depend on besides events, labels and definition."""
        return Verdicts(self.snapshot, [*self._words, *words], self._head, judge)

    def _cache(self, kind: str, words: Sequence[str], *, is_writer: bool) -> Cache:
        words = [*words, "by day"] if self._by_day and kind in BY_DAY else words
        name = digest([json.dumps([kind, *self._words, *words])])[:16]
        cache = Cache(self.engine, self.snapshot.store, f"drift-{name}", is_writer=is_writer)
        cache.head |= self._head
        return cache

    @cached_property
    def _words(self) -> list[str]:
        """What every kind of sums depends on."""
        return [keys.state_key(self.engine, self.definition), self.engine.run("select opt_join()")[0][0]]

    @cached_property
    def _head(self) -> dict[str, str]:
        return {"labels": keys.labels_hash(self.engine), "sql": sql_hash()}

    def _missing(self, cache: Cache, dates: Sequence[str]) -> list[str]:
        found = set(cache.missing(self.snapshot))
        return [day for day in dates if day in found]

    def _sum(self, cache: Cache, kind: str, make: Callable[[], None], dates: Sequence[str]) -> None:
        """The days that are not kept yet, a few at a time."""
        missing = self._missing(cache, dates)
        for days in chunks(missing, self.snapshot):
            count_once(self.engine, self.snapshot, self._duplicates, days)
            state.frame(self.engine, [_utc_day(no, day) for no, day in enumerate(days)], by_day=self._by_day)
            make()
            cache.head["columns"] = {table: [c for c in self.engine.columns(table) if c != "day_no"] for table in TABLES[kind]}
            for no, day in enumerate(days):
                parts = [
                    f"select {quoted(table)} as rw_table, * exclude (day_no) from {table} where day_no = {no}"
                    for table in TABLES[kind]
                ]
                cache.put(self.engine, day, self.snapshot, " union all by name ".join(parts))
        if missing:
            cache.save()


def _utc_day(no: int, day: str) -> Day:
    start = dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)
    return Day(no, start, start + 24 * HOUR)
