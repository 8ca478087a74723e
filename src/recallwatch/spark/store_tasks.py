"""What tasks do for a store: files become its parts, days become sums. Both count once the driver has written so."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..scoring.binding import bind
from ..scoring.recalls import join
from ..store import parts
from ..store.cache import Cache, Dated
from ..store.day_sums import map_cut, sum_days
from ..store.layout import Store, is_store, open_store, stored
from ..store.source import StoredRecalls
from .shipment import Errand, Shipment, note, unpacked


def take(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task's files: each normalised, its part written, its marker returned to the driver."""
    store, version = _store(shipment), engine.run("select version()")[0][0]
    for batch in batches:
        for number in batch.column("id").to_pylist():
            for errand in shipment.errands[number]:
                yield note("outcome", {"engine": version, **_outcome(engine, store, shipment, errand)}, number=number)


def _outcome(engine: Engine, store: Store, shipment: Shipment, errand: Errand) -> dict[str, Any]:
    fields: dict[str, Any] = {"source": errand.source, "marker": None, "is_read": False, "is_over": False, "failed": None}
    try:
        outcome = parts.look_at(engine, store, errand.source, shipment.plan.reading, errand.known)
    except (InputError, FileNotFoundError) as error:
        return {**fields, "failed": parts.failure_of(errand.source, error)}
    marker = None if outcome.marker is None else dataclasses.asdict(outcome.marker)
    return {**fields, "marker": marker, "is_read": outcome.is_read, "is_over": outcome.is_over}


def _store(shipment: Shipment) -> Store:
    if not is_store(shipment.store):
        raise UsageError(
            "a worker does not see the store", where=shipment.store, fix="Name a store on storage that driver and workers share"
        )
    return open_store(shipment.store)


class _Share(Cache):
    """An index of sums in which only some days can be missing; files stay in the engine's folder.

    Args:
        engine, store, name: as of :class:`~recallwatch.store.cache.Cache`.
        days: the task's share.
    """

    def __init__(self, engine: Engine, store: Store, name: str, days: tuple[str, ...]) -> None:
        super().__init__(engine, store, name, is_writer=False)
        self._share = set(days)

    def missing(self, dated: Dated) -> list[str]:
        """Those of the share."""
        return [day for day in super().missing(dated) if day in self._share]


def days(engine: Engine, shipment: Shipment, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A task's days of a store: their sums, by the SQL of a one-shot run, as files of the store."""
    store, plan, version = _store(shipment), shipment.plan, engine.run("select version()")[0][0]
    for number in [number for batch in batches for number in batch.column("id").to_pylist()]:
        source = StoredRecalls(store)
        logs = source.open()
        bind(engine, plan.definition, map_cut(plan.cut))
        engine.run(f"create or replace table labels as from {unpacked(engine, shipment.labels)}")
        source.once(engine)
        join(engine, logs)
        share = _Share(engine, store, shipment.index, shipment.days[number])
        sum_days(engine, plan, source.snapshot, logs, cache=share, duplicates=source.duplicates)
        published = {day: _published(store, share.days[day]) for day in shipment.days[number]}
        yield note("days", {"engine": version, "days": published, "columns": share.head["columns"]}, number=number)


def _published(store: Store, entry: dict[str, Any]) -> dict[str, Any]:
    """A day's file in its place in the store."""
    made = Path(entry["file"])
    path = store.path(f"aggregates/{made.name}")
    with stored(path) as temporary:
        shutil.copyfile(made, temporary)
    return {**entry, "file": made.name}
