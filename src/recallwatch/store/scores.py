"""One snapshot of a store to one result, by way of its daily sums."""

from __future__ import annotations

import dataclasses

import pyarrow as pa

from ..base.engine import Engine
from ..base.options import Period
from ..base.tracing import Steps
from ..scoring import readout
from ..scoring.binding import bind_windows
from ..scoring.plan import Plan
from ..scoring.quality import set_columns
from ..scoring.recalls import Recalls, join
from ..scoring.result import Evaluation
from ..scoring.unread import refuse_unread
from .day_sums import index_of, load_days, map_cut, sum_days
from .duplicates import count_once
from .snapshot import relation
from .source import StoredRecalls


def scored(engine: Engine, source: StoredRecalls, plan: Plan, form: str, steps: Steps) -> Evaluation:
    """Score everything committed: from daily sums for whole days, in one pass where --from or --to cut through a day."""
    logs = source.open()
    rejects = source.accept(engine, plan)
    if not plan.period:
        refuse_unread(engine, plan.reading, relation(engine, source.snapshot))
    with steps("once"):
        events = Recalls(logs, form, rejects, source.once(engine))
    if plan.period or plan.definition.by_question:  # a question may be of two days
        with steps("judge"):
            if not plan.period:  # the windows may be other ones than were asked for
                bind_windows(engine, plan.cut)
            join(engine, logs)
        return readout.scored(engine, plan, events, steps)
    _load(engine, source, plan, steps)
    return readout.read_out(engine, plan, events, steps)


def _load(engine: Engine, source: StoredRecalls, plan: Plan, steps: Steps) -> None:
    """The sums of every day, made where they are missing, as the tables that a read-out wants."""
    snapshot, duplicates, logs = source.snapshot, source.duplicates, source.snapshot.logs()
    with steps("judge"):
        bind_windows(engine, map_cut(plan.cut))
        join(engine, logs)
    with steps("score"):
        sums = index_of(engine, plan, snapshot, logs, is_writer=source.is_writer)
        sum_days(engine, plan, snapshot, logs, cache=sums, duplicates=duplicates)
    with steps("aggregate"):
        count_once(engine, snapshot, duplicates, snapshot.days)
        set_columns(engine, plan.definition, plan.cut.columns)
        load_days(engine, plan, snapshot, logs, sums)


def means(engine: Engine, source: StoredRecalls, plan: Plan, steps: Steps) -> pa.Table:
    """The relation `metrics` alone: all that the labels of another version can change in a comparison."""
    if plan.definition.by_question:
        return scored(engine, source, plan, "", steps).metrics
    _load(engine, source, plan, steps)
    for name in ("4_aggregate/quality.sql", "6_report/metrics.sql"):
        engine.file(name)
    return engine.arrow("from metrics")


def by_day(plan: Plan) -> Plan:
    """The same metrics by UTC day, unsliced: what recall.duckdb shows."""
    cut = dataclasses.replace(plan.cut, by=(), window="day", timezone="UTC")
    return dataclasses.replace(plan, cut=cut, period=Period())


def whole(result: Evaluation) -> Evaluation:
    """The rows over everything of a result by day: what the same evaluation without windows gives."""
    import pyarrow.compute as pc

    tables = (result.metrics, result.latency, result.cost)
    metrics, latency, cost = (table.filter(pc.is_null(table["window"])) for table in tables)
    head = {**result.head}
    if "questions" in head:
        head["questions"] = [row for row in head["questions"] if row["window"] is None]
    if "match" in head:
        head["match"] = [row for row in head["match"] if row["window"] is None]
    return dataclasses.replace(result, metrics=metrics, latency=latency, cost=cost, head=head)
