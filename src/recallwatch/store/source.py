"""A store as the source of recalls: its committed events, stored duplicates and last labels."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from ..base.engine import Engine
from ..base.options import Period, Reading
from ..read import Logs
from ..read.selection import passing
from ..scoring.acceptance import bound_no_time, drop_duplicates, refuse_no_period, set_period
from ..scoring.plan import Plan
from ..scoring.recalls import take_labels
from . import label_versions
from .cache import Cache
from .duplicates import count_once, find_duplicates
from .layout import Store
from .marker import NO_DAY
from .snapshot import Snapshot, refuse_empty, rejects_of, relation, take

TakeLabels = Callable[[Engine, Any, Reading], str]
NO_TIME = "Leave out --window, --from and --to, or ingest with --map timestamp=<path>"


class StoredRecalls:
    """The recalls of a store, as committed at the time of reading.

    Args:
        home: the store.
        is_writer: whether this process has the lock: then newly computed duplicates are stored.
        take_labels: makes the table `labels` of labels that are given.

    Attributes:
        snapshot, duplicates: of the last reading.
    """

    snapshot: Snapshot
    duplicates: Cache

    def __init__(self, home: Store, *, is_writer: bool = False, take_labels: TakeLabels = take_labels) -> None:
        self.home, self.is_writer = home, is_writer
        self._take_labels, self._period = take_labels, Period()

    def read(self, engine: Engine, labels: Any, reading: Reading, *, must: bool = False) -> tuple[Logs, str]:
        """What is committed now; labels are those given, else the store's current version."""
        logs = self.open()
        return logs, self.labels(engine, labels, reading, must=must)

    def open(self) -> Logs:
        """What is committed now."""
        self.snapshot = take(self.home)
        refuse_empty(self.snapshot)
        return self.snapshot.logs()

    def accept(self, engine: Engine, plan: Plan) -> list[dict[str, Any]]:
        """As of logs; how many bad lines a source may have was judged when it was ingested."""
        self._period = plan.period
        set_period(engine, plan.period)
        rejects = rejects_of(engine, self.snapshot)
        if plan.needs_time or plan.period.is_dated:
            missing, total = self.snapshot.n_without_time, self.snapshot.n_all
            bound_no_time(engine, missing, total, plan.reading, where=str(self.home.folder), fix=NO_TIME)
        if plan.period:
            stored = relation(engine, self.snapshot, self._days(engine) if plan.period.is_dated else None)
            where = plan.period.where
            passes = "true" if where is None else passing(engine, self.snapshot.logs(), where, stored)
            engine.run(f'create or replace view events as select * from {stored} where in_period("timestamp") and {passes}')
            if not engine.run("select exists (select 1 from events)")[0][0]:
                refuse_no_period(plan.period, self.span, where=str(self.home.folder))
        return rejects

    def once(self, engine: Engine) -> int:
        """From the stored duplicates of whole days; a period may separate two copies of an event, so there they are computed again."""
        if self._period:
            return drop_duplicates(engine, has_ids=self.snapshot.has_ids)
        self.duplicates = find_duplicates(engine, self.snapshot, is_writer=self.is_writer)
        return count_once(engine, self.snapshot, self.duplicates, self.snapshot.days)

    @property
    def span(self) -> tuple[dt.datetime | None, dt.datetime | None]:
        """First and last event, as the markers know them."""
        ends = [(one.first_at, one.last_at) for one in self.snapshot.markers if one.first_at and one.last_at]
        if not ends:
            return None, None
        return dt.datetime.fromisoformat(min(first for first, _ in ends)), dt.datetime.fromisoformat(max(last for _, last in ends))

    def _days(self, engine: Engine) -> list[str]:
        """The UTC days that the period touches."""
        first, last = engine.run("select utc_day(opt_from()), utc_day(opt_to())")[0]
        dated = [day for day in self.snapshot.days if day != NO_DAY]
        return [day for day in dated if (first == NO_DAY or first <= day) and (last == NO_DAY or day <= last)]

    def labels(self, engine: Engine, given: Any, reading: Reading, *, must: bool = False) -> str:
        """The table `labels`: those given, else the current version; returns where they came from, "" = there are none.

        Where nobody ever named labels they are those that the logs carry, all that were ingested so far.
        """
        if given is not None:
            return self._take_labels(engine, given, reading)
        version = label_versions.current(self.home)
        if version is None or label_versions.request(self.home).get("carried"):
            form = label_versions.load_carried(engine, take(self.home))
            if form or version is None:
                return form or label_versions.no_labels(engine, must=must)
        label_versions.load(engine, self.home, version)
        return "store"
