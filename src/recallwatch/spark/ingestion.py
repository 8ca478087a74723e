"""Ingest on a cluster: tasks normalise files and write their parts into the store, the driver commits them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from ..base.engine import Engine
from ..base.errors import UsageError
from ..base.remote import path_of
from ..base.takes import INGEST
from ..base.tracing import Steps
from ..read.paths import expand
from ..scoring.binding import bind
from ..scoring.plan import Plan, takes
from ..store import parts
from ..store.batch import Batch
from ..store.layout import Store, open_store
from ..store.lock import writing
from ..store.marker import Marker
from ..store.marker import sizes as sizes_of
from ..store.parts import Ingested, Known, Outcome
from ..store.renewal import close_run
from .cluster import Cluster, session, slots
from .shipment import Errand, Shipment, dealt, refuse_other_engine

WAVE = 16  # files per task between two commits: at most so many are read again after a crash


@takes(INGEST)
def ingest(spark: Any, logs: Any, *, store: Any, forget: bool = False, tasks: int | None = None, plan: Plan) -> Ingested:
    """Add what is new or changed in some log files to a store, the files shared out over a Spark cluster.

    The store equals one made by one machine: the task that reads a file writes its part, which counts once the
    driver, which alone has the store's lock, has committed it. A task that Spark repeats leaves an unused part.

    Args:
        spark: a session; it stays the caller's.
        logs: path, folder, glob or list that every worker sees.
        store: the store's folder or address, which every worker sees.
        forget: take sources out whose file is gone.
        tasks: how many a job is cut into at most; None = twice as many as run at once.
        {options}

    ``threads`` (default 1) and ``memory_limit`` (default 1GB) hold for each task.

    Raises:
        UsageError: another process writes to the store, the store is not writable, or a worker does not see it.
        InputError: some file is out of contract; all others are committed.
    """
    sources = parts.paths_to_keep(logs)
    home = open_store(store, create=True)
    with plan.engine() as engine, Cluster(spark, tasks=tasks or 2 * slots(spark)) as cluster:
        steps = Steps("recallwatch.ingest", engine, plan.watcher)
        with writing(home):
            with steps("bind"):
                bind(engine, plan.definition, plan.cut)
            with steps("read"):
                done = _ingested(engine, cluster, home, plan, [str(path.absolute()) for path in expand(sources, kind="log")])
                parts.see_vanished(home, done, forget=forget)
            close_run(engine, home, plan, done, steps)
        return done


@INGEST.named
def ingest_on(master: str, logs: Any, *, store: Any, forget: bool = False, tasks: int | None = None, **options: Any) -> Ingested:
    """The same on a session of its own, which ends with it: what ``--engine spark --master …`` does.

    Options, beside ``store``, ``forget`` and ``tasks``:
        {options}
    """
    INGEST.make(options)  # before Spark starts
    spark = session(master)
    try:
        return ingest(spark, logs, store=store, forget=forget, tasks=tasks, **options)
    finally:
        spark.stop()


def _ingested(engine: Engine, cluster: Cluster, store: Store, plan: Plan, sources: Sequence[str]) -> Ingested:
    """Read all sources in tasks and commit them, some at a time, in the order of their names."""
    done, known = Ingested(), parts.known_sources(store)
    bare, batch = plan.bare(), Batch(engine, store, plan.reading, done)
    wave: list[Errand] = []
    for source in sources:
        before = known.get(source, Known())
        if parts.is_untouched(source, plan.reading, before):
            batch.add(Outcome(source), before)
            continue
        wave.append(Errand(source, before))
        if len(wave) == WAVE * cluster.tasks:
            _commit(engine, cluster, store, bare, wave, batch=batch, done=done)
            wave = []
    if wave:
        _commit(engine, cluster, store, bare, wave, batch=batch, done=done)
    batch.close()
    return done


def _commit(
    engine: Engine, cluster: Cluster, store: Store, plan: Plan, wave: Sequence[Errand], *, batch: Batch, done: Ingested
) -> None:
    """Run one job and commit what its tasks read."""
    shipment = Shipment(plan, store=str(store.folder))
    groups = _groups(wave, cluster.tasks)
    frame = cluster.parts(groups)
    rows = cluster.rows(cluster.job(frame, "take", dataclasses.replace(shipment, errands=groups)))
    facts = [json.loads(bytes(row.blob)) for row in rows if row.kind == "outcome"]
    refuse_other_engine(engine, facts)
    by_source = {fact["source"]: fact for fact in facts}
    markers = {source: _marker(fact["marker"]) for source, fact in by_source.items() if fact["marker"] is not None}
    sizes = sizes_of(store, markers.values())
    for errand in wave:
        fact, one = by_source[errand.source], markers.get(errand.source)
        if fact["failed"] is not None:
            done.failed[errand.source] = fact["failed"]
            continue
        if one is not None and (damage := one.damage(sizes)):
            raise UsageError(
                f"a task wrote its part where the driver does not see it ({damage})",
                where=str(store.folder),
                fix="Name a store on storage that driver and workers share",
            )
        batch.add(Outcome(errand.source, one, is_read=fact["is_read"], is_over=fact["is_over"]), errand.known)


def _marker(fields: dict[str, Any]) -> Marker:
    return Marker(**{**fields, "attributes": tuple(fields["attributes"])})


def _groups(errands: Sequence[Errand], tasks: int) -> tuple[tuple[Errand, ...], ...]:
    sized = sorted(((_size(errand.source), errand) for errand in errands), key=lambda pair: (-pair[0], pair[1].source))
    return tuple(map(tuple, dealt(sized, tasks)))


def _size(source: str) -> int:
    try:
        return path_of(source).stat().st_size
    except OSError:  # gone meanwhile: the task will say so
        return 0
