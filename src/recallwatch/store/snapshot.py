"""A store's committed events as the relations every command reads: `events`, `source_rejects`, `source_firsts`."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError, RecallwatchError
from ..read import FEW, Logs
from ..scoring.acceptance import rejects_by_reason
from . import marker
from .layout import Store
from .marker import NO_DAY, Marker

P = ParamSpec("P")
T = TypeVar("T")
ROW = ("rw_part", "rw_row")  # position of an event: file of the store, row in it


@dataclass(frozen=True)
class Snapshot:
    """The committed sources at one moment.

    Args:
        store: where.
        markers: by source.
    """

    store: Store
    markers: tuple[Marker, ...]
    days: dict[str, list[Marker]] = field(default_factory=dict)

    @property
    def has_ids(self) -> bool:
        """Whether any delivery can be a duplicate."""
        return any(one.has_ids for one in self.markers)

    @property
    def fingerprint(self) -> str:
        """Of everything committed: equal = the same parts."""
        return digest(one.events for one in self.markers)

    def inputs(self, day: str) -> str:
        """Of the parts that hold events of a day: equal = what was computed from them still holds."""
        return digest(one.events for one in self.days[day])

    def n_events(self, day: str) -> int:
        """Events stored under a day, duplicates included."""
        return sum(one.days[day] for one in self.days[day])

    @property
    def n_all(self) -> int:
        """Records stored: events, duplicates included, and rejects."""
        return sum(one.n_events + one.n_rejects for one in self.markers)

    @property
    def n_without_time(self) -> int:
        """Those of them without a time."""
        return self.n_events(NO_DAY) if NO_DAY in self.days else 0

    def logs(self) -> Logs:
        """What a reader of logs would have said of them all; the number of files is no result."""
        names, attributes = marker.union_names(list(self.markers))
        return Logs({"store": 1}, names, attributes, self.has_ids, are_few=self.n_all <= FEW)


def digest(words: Iterable[str]) -> str:
    """sha256 of some words in sorted order."""
    return hashlib.sha256(json.dumps(sorted(words)).encode()).hexdigest()


def take(store: Store) -> Snapshot:
    """What is committed now.

    Raises:
        InputError: nothing is; a marker or a part is damaged.
    """
    markers = tuple(marker.snapshot(store))
    sizes = marker.sizes(store, markers)
    for one in markers:
        if damage := one.damage(sizes):
            fix = f"Ingest its source again: recallwatch ingest {one.source} --store {store.folder}"
            raise InputError(damage, where=str(store.folder), fix=fix)
    days: dict[str, list[Marker]] = {}
    for one in markers:
        for day in one.days:
            days.setdefault(day, []).append(one)
    return Snapshot(store, markers, dict(sorted(days.items())))


def refuse_empty(snapshot: Snapshot) -> None:
    """A store without sources has no number to give."""
    if not snapshot.markers:
        fix = "Add logs: recallwatch ingest LOGS… --store DIR"
        raise InputError("the store is empty", where=str(snapshot.store.folder), fix=fix)


def relation(
    engine: Engine, snapshot: Snapshot, days: Iterable[str] | None = None, *, rows: bool = False, day: bool = False
) -> str:
    """SQL of the events of some days (None = all), duplicates included; with ``rows`` also their positions, with ``day`` the UTC day."""
    columns = [identifier(name) for name in engine.columns("contract.events")]
    columns += ["day_utc"] if day else []
    chosen = None if days is None else set(days)
    commits = [one for one in snapshot.markers if chosen is None or chosen & set(one.days)]
    extra = [f"parse_filename(filename) as {ROW[0]}", f"file_row_number as {ROW[1]}"] if rows else []
    if not commits:
        nulls = [f"null::varchar as {ROW[0]}", f"null::bigint as {ROW[1]}"] if rows else []
        return f"(select {', '.join([*columns, *nulls])} from (select *, null::date as day_utc from contract.events))"
    paths = [str(snapshot.store.path(one.events)) for one in commits]
    snapshot.store.reach(engine, paths)
    names = quoted_paths(paths)
    how = ", filename = true, file_row_number = true" if rows else ""
    where = "" if chosen is None else f" where {of_days(chosen)}"
    return f"(select {', '.join([*columns, *extra])} from read_parquet({names}{how}){where})"


def of_days(days: set[str]) -> str:
    """SQL: the event is of one of these UTC days; on the stored day, whose smallest and largest value every row group knows."""
    dated = sorted(days - {NO_DAY})
    parts = [f"day_utc in ({', '.join(f'{quoted(day)}::date' for day in dated)})"] if dated else []
    return " or ".join([*parts, *(["day_utc is null"] if NO_DAY in days else [])])


def rejects_of(engine: Engine, snapshot: Snapshot) -> list[dict[str, Any]]:
    """Rejects by reason, as an evaluation of the logs themselves counts them; the views `source_rejects` and `source_firsts` stay."""
    files = [str(snapshot.store.path(one.rejects)) for one in snapshot.markers if one.rejects]
    snapshot.store.reach(engine, files)
    rows = f"read_parquet({quoted_paths(files)})" if files else "contract.rejects"
    engine.run(f"create or replace view source_rejects as from {rows}")
    firsts = [(one.source, one.first_at) for one in snapshot.markers if one.rejects]
    engine.values("first_moments", {"source": "varchar", "first_at": "timestamptz"}, firsts)
    engine.run("create or replace view source_firsts as from first_moments")
    return rejects_by_reason(engine)


def steadily(home_of: Callable[[Mapping[str, Any]], Store | None]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function work on one state of a store: where a writer replaced and cleared a part meanwhile, it begins anew.

    Args:
        home_of: the store, from the function's arguments by name; None = none.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def wrapped(*given: P.args, **named: P.kwargs) -> T:
            home = home_of(signature.bind(*given, **named).arguments)
            while True:
                before = take(home).fingerprint if home is not None else ""
                try:
                    return function(*given, **named)
                except RecallwatchError:
                    if home is None or take(home).fingerprint == before:
                        raise

        return wrapped

    return decorate
