"""`evaluate --store`: the numbers of everything a store holds, by way of its daily sums."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from .. import scoring
from ..engine import Engine, quoted
from ..errors import InputError, RecallwatchError, UsageError
from ..measure import read_out, score_events
from ..request import Plan, Request, paths_of
from ..result import Evaluation, rows
from ..tracing import Steps
from . import labels as label_versions
from .aggregates import index_of, load_days, map_cut, sum_days
from .deliveries import count_once, find_duplicates
from .ingest import ingest_files
from .layout import Store, open_store
from .lock import writing
from .reading import Snapshot, rejects_of, relation, take
from .refresh import finish

TakeLabels = Callable[[Engine, Any, Request], str]


def evaluate_store(folder: Any, plan: Plan, *, logs: Any, labels: Any, take_labels: TakeLabels) -> Evaluation:
    """Add the logs, if any, then score all there is; new labels become the store's current version.

    Where the folder is read-only, or another writer is at work, everything is computed all the same and nothing kept.

    Raises:
        UsageError: no labels given and none kept; logs given that are no files.
        InputError: logs, labels or store out of contract.
    """
    sources = None if logs is None else paths_of(logs)
    if logs is not None and sources is None:
        raise UsageError("a store keeps files", where="logs", fix="Name paths, or evaluate without a store")
    store = open_store(folder, create=sources is not None)
    engine = Engine(threads=plan.request.threads, memory_limit=plan.request.memory_limit)
    steps = Steps("recallwatch.evaluate", engine, plan.request.watcher)
    try:
        with _lock(store, must=sources is not None) as is_writer:
            with steps("bind"):
                scoring.bind(engine, plan.definition, plan.cut)
            if sources is not None:
                with steps("ingest"):
                    done = ingest_files(engine, store, sources, plan.request)
                finish(engine, store, done)
            result = _evaluated(engine, store, plan, steps, labels=labels, take_labels=take_labels, is_writer=is_writer)
        steps.done(result.counts)
        return result
    finally:
        engine.close()


@contextlib.contextmanager
def _lock(store: Store, *, must: bool) -> Iterator[bool]:
    """The writer's lock, or False where it is not to be had and nothing has to be written."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(writing(store))
            is_writer = True
        except UsageError:
            if must:
                raise
            is_writer = False
        yield is_writer


def _evaluated(
    engine: Engine, store: Store, plan: Plan, steps: Steps, *, labels: Any, take_labels: TakeLabels, is_writer: bool
) -> Evaluation:
    before = label_versions.current(store)
    if labels is None:
        if before is None:
            raise UsageError(
                "no labels given, and the store has none yet",
                where="--labels",
                fix="Name the file that says which ids should come back",
            )
        label_versions.load(engine, store, before)
        form = "store"
    else:
        form = take_labels(engine, labels, plan.request)
    now = scoring.labels_hash(engine)
    result = _steady(engine, store, plan, form, steps, is_writer=is_writer)
    if is_writer:
        label_versions.save(engine, store)
    if before is not None and before != now:
        label_versions.load(engine, store, before)
        old = _steady(engine, store, plan, "store", steps, is_writer=is_writer)
        result = _beside(engine, old, result, before, now)
    return result


def _beside(engine: Engine, old: Evaluation, new: Evaluation, before: str, now: str) -> Evaluation:
    """How much of a change of the means is the labels': both versions over the same events."""
    engine.register("old_metrics", old.metrics)
    engine.register("new_metrics", new.metrics)
    engine.file("7_store/relabelled.sql")
    relabelled = {"from": before, "to": now, "metrics": rows(engine.arrow("from relabelled"))}
    return dataclasses.replace(new, head={**new.head, "relabelled": relabelled})


def _steady(engine: Engine, store: Store, plan: Plan, form: str, steps: Steps, *, is_writer: bool) -> Evaluation:
    """One result of one state: where a writer replaced and cleared a part meanwhile, the newer state is read."""
    engine.run("create or replace table asked_labels as select * from labels")
    while True:
        snapshot = take(store)
        try:
            return _scored(engine, snapshot, plan, form, steps, is_writer=is_writer)
        except RecallwatchError:
            if is_writer or take(store).fingerprint == snapshot.fingerprint:
                raise
            engine.run("create or replace table labels as select * from asked_labels")


def _scored(engine: Engine, snapshot: Snapshot, plan: Plan, form: str, steps: Steps, *, is_writer: bool) -> Evaluation:
    """One snapshot: by day where whole days are asked for, in one go where --from or --to cut through them."""
    if not snapshot.markers:
        raise InputError(
            "the store is empty", where=str(snapshot.store.folder), fix="Add logs: recallwatch ingest LOGS… --store DIR"
        )
    logs, request = snapshot.logs(), plan.request
    rejects = rejects_of(engine, snapshot)
    _refuse_no_time(snapshot, request)
    with steps("once"):
        duplicates = find_duplicates(engine, snapshot, is_writer=is_writer)
        dropped = count_once(engine, snapshot, duplicates, snapshot.days)
    if request.start or request.end:
        period = [f'"timestamp" {sign} {quoted(at)}::timestamptz' for sign, at in ((">=", request.start), ("<", request.end)) if at]
        engine.run(f"create or replace view events as select * from {relation(engine, snapshot)} where {' and '.join(period)}")
        dropped = scoring.once(engine, has_ids=snapshot.has_ids)
        return score_events(engine, plan, logs, form, steps, rejects=rejects, duplicates=dropped)
    with steps("judge"):
        scoring.bind(engine, plan.definition, map_cut(plan.cut))
        scoring.join_labels(engine, log_columns=set(logs.names.values()))
    with steps("score"):
        sums = index_of(engine, plan, snapshot, logs, is_writer=is_writer)
        sum_days(engine, plan, snapshot, logs, cache=sums, duplicates=duplicates)
    with steps("aggregate"):
        count_once(engine, snapshot, duplicates, snapshot.days)
        scoring.set_columns(engine, plan.definition, plan.cut.columns)
        load_days(engine, plan, snapshot, logs, sums)
    return read_out(engine, plan, logs, form, steps, rejects=rejects, duplicates=dropped)


def _refuse_no_time(snapshot: Snapshot, request: Request) -> None:
    missing = sum(found.days["none"] for found in snapshot.days.get("none", []))
    if missing and (request.window != "all" or request.start or request.end):
        total = sum(found.n_events for found in snapshot.markers)
        raise InputError(
            f"{missing} of {total} events have no timestamp, so there are no windows",
            where=str(snapshot.store.folder),
            fix="Leave out --window, --from and --to, or ingest with --map timestamp=<path>",
        )
