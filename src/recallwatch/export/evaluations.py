"""`gen_ai.evaluation.result`: the values of each recall as log events of OpenTelemetry, in the recall's own trace."""

from __future__ import annotations

from collections.abc import Iterator
from time import time_ns
from typing import Any, cast

import pyarrow as pa
from opentelemetry import trace
from opentelemetry._logs import Logger, SeverityNumber, get_logger
from opentelemetry.context import Context

from ..base.engine import Engine
from ..base.errors import UsageError
from ..evaluation.source import source_of
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring.plan import Plan, takes
from ..scoring.quality import counted_sql, set_columns
from .options import EVENTS, Sent

EVENT = "gen_ai.evaluation.result"
NAME, VALUE, LABEL = "gen_ai.evaluation.name", "gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
ABOUT = {"event_id": "recallwatch.event_id", "query_id": "recallwatch.query_id", "query_class": "recallwatch.query_class"}
BATCH = 8192  # rows in Python at once


@takes(EVENTS)
@on_one_state
def evaluation_events(logs: Any = None, labels: Any = None, *, store: Any = None, sent: Sent, plan: Plan) -> int:
    """Emit one event a labelled recall and metric; returns the number handed to the Logs API.

    Nobody remembers what was sent: ``start`` and ``end`` name the period, or ``everything`` says that events may come twice.

    Args:
        logs: as in :func:`recallwatch.evaluate`, or the folder of a store.
        labels: the same.
        store: folder of a store, in place of logs.
        {options}

    Raises:
        UsageError: an unknown option or metric; no period.
        InputError: logs or labels out of contract.
    """
    if not sent.everything and not (plan.period.start and plan.period.end):
        what = "without --from and --to the next call sends the same events again"
        raise UsageError(what, where="evaluations", fix="Name the period, or pass --everything")
    chosen = cast("Logger", sent.logger) or get_logger("recallwatch")

    with recalls_of("recallwatch.evaluation_events", source_of(logs, store), labels, plan, must_have_labels=True) as (
        engine,
        steps,
        _,
    ):
        with steps("score"):
            _score(engine, plan)
            table = engine.arrow("from evaluation_events", what="evaluation events")
        with steps("emit"):
            n = sum(_emit(chosen, row, explain=sent.explain) for row in _rows(table))
        steps.done({})
        return n


send = evaluation_events


def _score(engine: Engine, plan: Plan) -> None:
    """Recalls -> scored_events: each labelled recall's value of every column, by the macros and the rules of the means."""
    columns = plan.cut.columns
    set_columns(engine, plan.definition, columns)
    values = ", ".join(counted_sql(plan.definition, column) for column in columns)
    engine.run(
        f"""create or replace table scored_events as
        select event_id, "timestamp", trace_id, span_id, query_id, tenant_id, query_class, status,
            label_no, label_from, judged_ids, [{values}]::double[] as scores
        from recalls where is_labelled""",
        what="scoring",
    )
    engine.file("6_report/evaluation_events.sql")


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=BATCH):
        yield from batch.to_pylist()


def _emit(logger: Logger, row: dict[str, Any], *, explain: bool) -> int:
    attributes = {NAME: row["name"], VALUE: row["value"], LABEL: row["label"]}
    attributes |= {name: row[column] for column, name in ABOUT.items() if row[column] is not None}
    if row["tenant_id"] is not None:
        attributes["tenant.id"] = row["tenant_id"]
    if explain and row["explanation"] is not None:
        attributes[EXPLANATION] = row["explanation"]
    logger.emit(
        event_name=EVENT,
        timestamp=time_ns(),
        context=_context(row["trace_id"], row["span_id"]),
        severity_number=SeverityNumber.INFO,
        attributes=attributes,
    )
    return 1


def _context(trace_id: str | None, span_id: str | None) -> Context:
    """The recall's own span as the parent; without one no span, never that of whoever evaluates."""
    if trace_id is None or span_id is None:
        # no span, not an empty context: the SDK takes the current one in its place
        return trace.set_span_in_context(trace.INVALID_SPAN, Context())
    at = trace.SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED)
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(at), Context())
