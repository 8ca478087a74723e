"""`evaluate --store` and `ingest`: what is new is added, then the numbers of everything a store holds."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa

from ..base.engine import Engine
from ..base.rows import rows
from ..base.takes import INGEST
from ..base.tracing import Steps
from ..scoring import state_key
from ..scoring.binding import bind, bind_reading
from ..scoring.plan import Plan, plan_of, takes
from ..scoring.recalls import take_labels
from ..scoring.result import Evaluation
from ..scoring.warnings import warning
from . import label_versions
from .batch import ingest_files
from .layout import Store, open_store
from .lock import writing, writing_if_free
from .marker import NO_DAY
from .parts import Ingested, paths_to_keep
from .renewal import close_run, renew
from .scores import by_day, means, scored, whole
from .snapshot import steadily, take
from .source import StoredRecalls, TakeLabels


@takes(INGEST)
def ingest(logs: Any, *, store: Any, forget: bool = False, renews: bool = True, plan: Plan) -> Ingested:
    """Add what is new or changed in some log files to a store; made where there is none.

    Args:
        logs: path, folder, glob or a list of them.
        store: the store's folder.
        forget: take sources out whose file is gone; else they stay (logs rotate).
        renews: whether recall.duckdb is renewed; False where an evaluation follows, which does it.
        {options}

    Raises:
        UsageError: another process writes to the store; the folder cannot be written.
        InputError: some file is out of contract; all others are committed.
    """
    sources = paths_to_keep(logs)
    home = open_store(store, create=True)
    with plan.engine() as engine:
        steps = Steps("recallwatch.ingest", engine, plan.watcher)
        with writing(home):
            with steps("bind"):
                bind_reading(engine, plan.definition, plan.cut)
            with steps("read"):
                done = ingest_files(engine, home, sources, plan.reading, forget=forget)
            close_run(engine, home, plan, done, steps, renews=renews)
        return done


def attach(store: Any) -> Store:
    """Write recall.duckdb again, with the paths of the folder's present place."""
    plan = plan_of()
    home = open_store(store)
    with Engine() as engine, writing(home):
        renew(engine, home, plan, Steps("recallwatch.attach", engine))
    return home


def evaluate_store(folder: Any, plan: Plan, *, logs: Any, labels: Any, take_labels: TakeLabels = take_labels) -> Evaluation:
    """Add the logs, if any, then score all there is; new labels become the store's current version.

    Where the folder is read-only or another process writes to it, the result is the same and nothing is stored.

    Raises:
        UsageError: logs given that are no files.
        InputError: logs, labels or store out of contract.
    """
    sources = None if logs is None else paths_to_keep(logs)
    store = open_store(folder, create=sources is not None)
    with plan.engine() as engine:
        steps = Steps("recallwatch.evaluate", engine, plan.watcher)
        with writing_if_free(store, must=sources is not None) as is_writer:
            with steps("bind"):
                bind(engine, plan.definition, plan.cut)
            if sources is not None:
                with steps("ingest"):
                    done = ingest_files(engine, store, sources, plan.reading)
                close_run(engine, store, plan, done, steps, command="evaluate", renews=False)
            result = _evaluated(engine, store, plan, steps, labels=labels, take_labels=take_labels, is_writer=is_writer)
            if sources is not None and done.left:
                text = "recalls that a file held when it was last read, and holds no longer: they are not counted any more"
                warnings = [*result.head["warnings"], warning("recalls_left", text, sum(done.left.values()), list(done.left))]
                result = dataclasses.replace(result, head={**result.head, "warnings": warnings})
        steps.done(result.counts)
        return result


def _evaluated(
    engine: Engine, store: Store, plan: Plan, steps: Steps, *, labels: Any, take_labels: TakeLabels, is_writer: bool
) -> Evaluation:
    before = label_versions.current(store)
    source = StoredRecalls(store, is_writer=is_writer, take_labels=take_labels)
    form = source.labels(engine, labels, plan.reading)
    now = state_key.labels_hash(engine)
    engine.file("7_store/asked_labels.sql")
    is_dated = not plan.period and NO_DAY not in take(store).days
    is_plain = not (plan.needs_time or plan.cut.by)  # then one computation by day gives both this result and recall.duckdb
    by_days = is_writer and is_dated and is_plain
    has_days = by_days or (is_dated and (plan.cut.window, plan.cut.timezone) == ("day", "UTC"))  # what recall.duckdb shows

    result = _scored(engine, source, by_day(plan) if by_days else plan, form, steps)
    if is_writer:
        engine.file("7_store/labels_as_asked.sql")
        columns = [str(column) for column in plan.cut.columns]
        label_versions.save(engine, store, plan.definition.options(), columns, plan.cut.by, form=form)
        renew(engine, store, plan, steps, only_if_other=True, result=result if has_days else None)
    result = whole(result) if by_days else result
    is_other = before is not None and before != now and form != label_versions.CARRIED  # carried ones come with each log
    if is_other and not plan.period:
        label_versions.load(engine, store, str(before))
        old = means(engine, source, plan, steps)
        result = _beside(engine, old, result, str(before), now)
    return result


@steadily(lambda arguments: arguments["source"].home)
def _scored(engine: Engine, source: StoredRecalls, plan: Plan, form: str, steps: Steps) -> Evaluation:
    engine.file("7_store/labels_as_asked.sql")
    return scored(engine, source, plan, form, steps)


def _beside(engine: Engine, old: pa.Table, new: Evaluation, before: str, now: str) -> Evaluation:
    """How much of a change of the means is the labels': both versions over the same events."""
    engine.register("old_metrics", old)
    engine.register("new_metrics", new.metrics)
    engine.file("7_store/relabelled.sql")
    relabelled = {"from": before, "to": now, "metrics": rows(engine.arrow("from relabelled"))}
    return dataclasses.replace(new, head={**new.head, "relabelled": relabelled})
