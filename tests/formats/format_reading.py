"""Reads logs for the tests of this folder: events, spans and what was counted, as plain rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recallwatch.base.engine import Engine
from recallwatch.read import Logs, read_logs


@dataclass(frozen=True)
class Found:
    """What one read gave.

    Args:
        logs: what the reader says about itself.
        events: contract.events as dicts, by event_id.
        rejects: source_line, reject_reason.
        spans: contract.spans as dicts, by trace_id and span_id; [] for a log that is no trace.
    """

    logs: Logs
    events: list[dict[str, Any]]
    rejects: list[dict[str, Any]]
    spans: list[dict[str, Any]]


def found_in(*paths: Path | str, **options: Any) -> Found:
    """Read logs and hand out every row."""
    engine = Engine(threads=1)
    try:
        for name in ("0_schema.sql", "0_options.sql", "1_normalise/values.sql"):
            engine.file(name)
        logs = read_logs(engine, [str(path) for path in paths], **options)
        events = engine.rows(
            "select * exclude (reject_reason, excerpt) from normalised where reject_reason is null order by event_id"
        )
        rejects = engine.rows(
            "select source_line, reject_reason from normalised where reject_reason is not null order by source, source_line"
        )
        spans = engine.rows("from spans order by trace_id, span_id, source, source_line") if logs.spans else []
        return Found(logs, events, rejects, spans)
    finally:
        engine.close()
