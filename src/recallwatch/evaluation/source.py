"""Logs or a store, and labels or none yet, up to the view `recalls`: what questions about single recalls start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..base.engine import Engine
from ..base.errors import RecallwatchError, UsageError
from ..base.options import Period, Reading
from ..read import Logs
from ..scoring import relations
from ..scoring.plan import Plan, paths_of
from ..scoring.readout import accept, period_of, refuse_no_period, refuse_period
from ..store import label_versions, open_store
from ..store.duplicates import count_once, find_duplicates
from ..store.layout import Store, is_store
from ..store.snapshot import refuse_empty, rejects_of, take
from . import pipeline

T = TypeVar("T")


def store_in(given: Any, store: Any) -> Store | None:
    """The store a caller named, by ``store`` or by its folder in place of logs; None where logs were given.

    Raises:
        UsageError: both, neither, or a store among other paths.
    """
    if (given is None) == (store is None):
        raise UsageError("name logs, or a store, not both", where="logs", fix="Name LOGS… or the folder of a store")
    return open_store(store) if store is not None else store_among(given)


def store_among(given: Any) -> Store | None:
    """The store in what was given as logs, told by its content; None where they are logs.

    Raises:
        UsageError: a store among other paths.
    """
    if isinstance(given, Store):
        return given
    paths = paths_of(given) or []
    found = [path for path in paths if is_store(path)]
    if found and len(paths) > 1:
        raise UsageError("a store stands for itself", where=found[0], fix="Name the store alone, or only logs")
    return open_store(found[0]) if found else None


def steadily(store: Store | None, work: Callable[[], T]) -> T:
    """The work on one state of a store: where a writer replaced and cleared a part meanwhile, it is done again."""
    while True:
        before = take(store).fingerprint if store is not None else ""
        try:
            return work()
        except RecallwatchError:
            if store is None or take(store).fingerprint == before:
                raise


def recalls_of(engine: Engine, logs: Any, store: Store | None, labels: Any, plan: Plan, *, labels_needed: bool = True) -> Logs:
    """Logs or a store -> the views `events_once` and `recalls`; options must be bound.

    Args:
        engine: gets the relations.
        logs: as in :func:`recallwatch.evaluate`; unused with a store.
        store: whose events are read.
        labels: as there; None = those the logs carry, or the store was last scored with.
        plan: period, names and limits of the reading.
        labels_needed: False = without any label everything is unlabelled.

    Raises:
        UsageError: no labels, where they are needed.
        InputError: logs, labels or store out of contract; no event in the period.
    """
    if store is None:
        read, form = pipeline.read_both(engine, logs, labels, plan.reading, is_check=not labels_needed)
        accept(engine, read, plan.reading, plan.period, needs_time=plan.needs_time)
        relations.once(engine, has_ids=read.has_ids)
    else:
        read, form = _stored(engine, store, plan.period), labels_of(engine, store, labels, plan.reading, needed=labels_needed)
    if not form:
        engine.run("create or replace table labels as from contract.labels")
    names = set(read.names.values())
    relations.join_labels(engine, log_columns=names, facts=read.facts, empty_ok=not labels_needed)
    return read


def _stored(engine: Engine, store: Store, period: Period) -> Logs:
    snapshot = take(store)
    refuse_empty(snapshot)
    refuse_period(engine, period)
    rejects_of(engine, snapshot)
    count_once(engine, snapshot, find_duplicates(engine, snapshot, is_writer=False), snapshot.days)
    if period:
        engine.run("alter view events_once rename to events_of_any_time")
        engine.run(
            f"create or replace view events_once as select * from events_of_any_time where {' and '.join(period_of(period))}"
        )
        if not engine.run("select exists (select 1 from events_once)")[0][0]:
            refuse_no_period(engine.run('select min("timestamp"), max("timestamp") from events_of_any_time')[0])
    return snapshot.logs()


def labels_of(engine: Engine, store: Store, labels: Any, reading: Reading, *, needed: bool = True) -> str:
    """The labels given, else the store's current version; returns where they came from, "" = none.

    Raises:
        UsageError: none, where they are ``needed``.
    """
    version = label_versions.current(store)
    if labels is not None:
        return pipeline.take_labels(engine, labels, reading)
    if version is not None:
        label_versions.load(engine, store, version)
        return "store"
    if needed:
        raise label_versions.none_yet()
    return ""
