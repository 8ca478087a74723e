"""A store's daily sums made on a cluster: each task sums some days, the driver notes them in the store's own index.

What is missing afterwards is nothing, so that the evaluation of the store that follows reads sums, as it does the next night.
"""

from __future__ import annotations

import json
from typing import Any

from ..base.engine import Engine
from ..scoring.binding import bind
from ..scoring.plan import Plan
from ..scoring.recalls import join
from ..scoring.result import Evaluation
from ..store import evaluate_store
from ..store.calendar import calendar_of
from ..store.day_sums import index_of, map_cut
from ..store.label_days import missing_days
from ..store.layout import Store, open_store
from ..store.lock import writing
from ..store.scores import by_day
from ..store.snapshot import take
from ..store.source import StoredRecalls
from .cluster import Cluster
from .shipment import Shipment, dealt, parquet_of, refuse_other_engine


def evaluate_stored(cluster: Cluster, plan: Plan, *, store: Any, labels: Any) -> Evaluation:
    """Score all events of a store; the cluster computes the sums of new and changed days.

    Raises:
        UsageError: another process writes to the store; a worker does not see it.
        InputError: labels or store out of contract.
    """
    home = open_store(store)
    with plan.engine() as engine, writing(home):
        bind(engine, plan.definition, plan.cut)
        StoredRecalls(home).labels(engine, labels, plan.reading)
        engine.file("7_store/asked_labels.sql")
        for one in _plans(plan):
            _spread(engine, cluster, home, one)
    return evaluate_store(home.folder, plan, logs=None, labels=labels)


def _plans(plan: Plan) -> list[Plan]:
    """The requested plan and that of recall.duckdb; a period that cuts through days has no daily sums, and a question may be of two days."""
    if plan.definition.by_question:
        return []
    requested = [] if plan.period else [plan]
    return [one.bare() for one in [*requested, by_day(plan)]]


def _spread(engine: Engine, cluster: Cluster, store: Store, plan: Plan) -> None:
    """Compute the missing sums of days on the cluster and note them in the index."""
    if not take(store).markers:
        return
    source = StoredRecalls(store, is_writer=True)
    logs, snapshot = source.open(), source.snapshot
    bind(engine, plan.definition, map_cut(plan.cut))
    engine.file("7_store/labels_as_asked.sql")
    labels = parquet_of(engine, "from labels")
    source.once(engine)
    join(engine, logs)
    sums = index_of(engine, plan, snapshot, logs, is_writer=True)
    calendar = calendar_of(snapshot, map_cut(plan.cut))
    missing = missing_days(engine, sums, calendar, calendar.bounds)
    if not missing:
        return
    sized = sorted(((calendar.n_events(day), day) for day in missing), reverse=True)
    shipment = Shipment(
        plan,
        store=str(store.folder),
        labels=labels,
        index=sums.name,
        days=tuple(tuple(sorted(group)) for group in dealt(sized, cluster.tasks)),
    )
    rows = cluster.rows(cluster.job(cluster.parts(shipment.days), "days", shipment))
    facts = [json.loads(bytes(row.blob)) for row in rows if row.kind == "days"]
    refuse_other_engine(engine, facts)
    for fact in facts:
        sums.days |= fact["days"]
        sums.head["columns"] = fact["columns"]
    sums.save()
