"""One snapshot of a store to one result, by way of its daily sums."""

from __future__ import annotations

import dataclasses

import pyarrow as pa
import pyarrow.compute as pc

from ..base.engine import Engine
from ..base.errors import InputError, RecallwatchError
from ..base.options import Period
from ..base.tracing import Steps
from ..scoring import relations
from ..scoring.plan import Plan
from ..scoring.readout import period_of, read_out, score_events
from ..scoring.result import Evaluation
from .cache import Cache
from .day_sums import index_of, load_days, map_cut, sum_days
from .duplicates import count_once, find_duplicates
from .layout import Store
from .snapshot import Snapshot, refuse_empty, rejects_of, relation, take


def steady(engine: Engine, store: Store, plan: Plan, form: str, steps: Steps, *, is_writer: bool) -> Evaluation:
    """One result of one state: where a writer replaced and cleared a part meanwhile, the newer state is read."""
    engine.run("create or replace table asked_labels as select * from labels")
    while True:
        snapshot = take(store)
        try:
            return scored(engine, snapshot, plan, form, steps, is_writer=is_writer)
        except RecallwatchError:
            if is_writer or take(store).fingerprint == snapshot.fingerprint:
                raise
            engine.run("create or replace table labels as select * from asked_labels")


def scored(engine: Engine, snapshot: Snapshot, plan: Plan, form: str, steps: Steps, *, is_writer: bool) -> Evaluation:
    """One snapshot: by day where whole days are asked for, in one go where --from or --to cut through them."""
    refuse_empty(snapshot)
    logs = snapshot.logs()
    rejects = rejects_of(engine, snapshot)
    _refuse_no_time(snapshot, plan)
    with steps("once"):
        duplicates = find_duplicates(engine, snapshot, is_writer=is_writer)
        dropped = count_once(engine, snapshot, duplicates, snapshot.days)
    if plan.period:
        where = " and ".join(period_of(plan.period))
        engine.run(f"create or replace view events as select * from {relation(engine, snapshot)} where {where}")
        dropped = relations.once(engine, has_ids=snapshot.has_ids)
        return score_events(engine, plan, logs, form, steps, rejects=rejects, duplicates=dropped)
    _load(engine, snapshot, plan, steps, duplicates, is_writer=is_writer)
    return read_out(engine, plan, logs, form, steps, rejects=rejects, duplicates=dropped)


def _load(engine: Engine, snapshot: Snapshot, plan: Plan, steps: Steps, duplicates: Cache, *, is_writer: bool) -> None:
    """The sums of every day, made where they are missing, as the tables that a read-out wants."""
    logs = snapshot.logs()
    with steps("judge"):
        relations.bind(engine, plan.definition, map_cut(plan.cut))
        relations.join_labels(engine, log_columns=set(logs.names.values()))
    with steps("score"):
        sums = index_of(engine, plan, snapshot, logs, is_writer=is_writer)
        sum_days(engine, plan, snapshot, logs, cache=sums, duplicates=duplicates)
    with steps("aggregate"):
        count_once(engine, snapshot, duplicates, snapshot.days)
        relations.set_columns(engine, plan.definition, plan.cut.columns)
        load_days(engine, plan, snapshot, logs, sums)


def means(engine: Engine, store: Store, plan: Plan, steps: Steps, *, is_writer: bool) -> pa.Table:
    """The relation `metrics` alone: all that the labels of another version can change in a comparison."""
    snapshot = take(store)
    _load(engine, snapshot, plan, steps, find_duplicates(engine, snapshot, is_writer=is_writer), is_writer=is_writer)
    for name in ("4_aggregate/quality.sql", "6_report/metrics.sql"):
        engine.file(name)
    return engine.arrow("from metrics")


def _refuse_no_time(snapshot: Snapshot, plan: Plan) -> None:
    missing = sum(found.days["none"] for found in snapshot.days.get("none", []))
    if missing and (plan.needs_time or plan.period):
        total = sum(found.n_events for found in snapshot.markers)
        raise InputError(
            f"{missing} of {total} events have no timestamp, so there are no windows",
            where=str(snapshot.store.folder),
            fix="Leave out --window, --from and --to, or ingest with --map timestamp=<path>",
        )


def by_day(plan: Plan) -> Plan:
    """The same metrics by UTC day, unsliced: what recall.duckdb shows."""
    cut = dataclasses.replace(plan.cut, by=(), window="day", timezone="UTC")
    return dataclasses.replace(plan, cut=cut, period=Period())


def whole(result: Evaluation) -> Evaluation:
    """The rows over everything of a result by day: what the same evaluation without windows gives."""
    tables = (result.metrics, result.latency, result.cost)
    metrics, latency, cost = (table.filter(pc.is_null(table["window"])) for table in tables)
    head = {**result.head}
    if "match" in head:
        head["match"] = [row for row in head["match"] if row["window"] is None]
    return dataclasses.replace(result, metrics=metrics, latency=latency, cost=cost, head=head)
