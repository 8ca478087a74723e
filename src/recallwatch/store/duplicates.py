"""Duplicate events of a store: computed again when a day's parts change, stored beside the aggregates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ..base import sqlfiles
from ..base.engine import Engine, identifier, quoted, quoted_paths
from .cache import Cache, chunks
from .snapshot import ROW, Snapshot, relation

FILES = ("1_normalise/duplicate_hashes.sql", "1_normalise/duplicates.sql", "7_store/dropped.sql")


def find_duplicates(engine: Engine, snapshot: Snapshot, *, is_writer: bool) -> Cache:
    """Look for duplicates in the days whose parts changed, and only there."""
    key = hashlib.sha256("".join(map(sqlfiles.text_of, FILES)).encode()).hexdigest()  # sql/ defines a duplicate
    cache = Cache(engine, snapshot.store, f"duplicates-{key[:12]}", is_writer=is_writer)
    missing = cache.missing(snapshot)
    for day in missing:
        if not any(marker.has_ids for marker in snapshot.days[day]):
            cache.put(engine, day, snapshot, None, n=0)
    for days in chunks([day for day in missing if day not in cache.days], snapshot):
        engine.run(f"create or replace view events as select * from {relation(engine, snapshot, days, rows=True)}")
        for name in FILES:
            engine.file(name)
        dropped = dict(engine.run("select day, count(*) from dropped_rows group by day"))
        for day in days:
            select = f"select {', '.join(ROW)} from dropped_rows where day = {quoted(day)} order by all"
            cache.put(engine, day, snapshot, select if day in dropped else None, n=dropped.get(day, 0))
    if missing:
        cache.save()
    return cache


def count_once(engine: Engine, snapshot: Snapshot, cache: Cache, days: Iterable[str], *, where: str = "") -> int:
    """The views `events` (every delivery) and `events_once` of some days, of those events that ``where`` (SQL) is true of.

    Returns:
        Number of duplicate events of these days.
    """
    chosen, only = list(days), where or "true"
    everything = None if len(chosen) == len(snapshot.days) else chosen
    engine.run(f"create or replace view events as select * from {relation(engine, snapshot, everything)} where {only}")
    files = cache.files(chosen)
    if not files:
        engine.file("1_normalise/no_duplicates.sql")
        return 0
    columns = ", ".join(f"e.{identifier(name)}" for name in engine.columns("contract.events"))
    engine.run(f"create or replace table dropped as select * from read_parquet({quoted_paths(files)})")
    engine.run(
        f"""create or replace view events_once as select {columns} from {relation(engine, snapshot, everything, rows=True)} as e
        where ({only}) and not exists (select 1 from dropped as d where d.{ROW[0]} = e.{ROW[0]} and d.{ROW[1]} = e.{ROW[1]})"""
    )
    return sum(int(cache.days[day]["n"]) for day in chosen)
