"""`recallwatch report`: the page people look at, of a store or of logs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

SOURCE = Annotated[
    list[str],
    typer.Argument(metavar="STORE|LOGS…", help="A store's folder, or files, folders or globs of logs.", show_default=False),
]
TARGET = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
FORMAT = Annotated[str, typer.Option("--format", "-f", help="html, json, markdown or junit.")]
WINDOW = Annotated[str, typer.Option("--window", help="day, week or all (then nothing is compared).")]
TITLE = Annotated[str, typer.Option("--title", help="Of the page.")]
TRACE = Annotated[str | None, typer.Option("--trace-url", help="Link of a trace, e.g. https://traces.example/t/{trace_id}.")]
REDACT = Annotated[
    bool, typer.Option("--redact", help="Replace query texts by salted hashes; the salt is read from RECALLWATCH_SALT.")
]
REDACT_IDS = Annotated[bool, typer.Option("--redact-ids", help="Replace query and document ids as well.")]
BY = Annotated[str | None, typer.Option("--by", help="Columns or attributes that make segments. Default: none.")]


@o.with_definition
def command(
    logs: SOURCE,
    labels: o.LABELS = None,
    output: TARGET = Path("report.html"),
    format: FORMAT = "html",
    by: BY = None,
    k: o.K = "1,3,5,10",
    window: WINDOW = "day",
    timezone: o.TIMEZONE = "UTC",
    title: TITLE = "recallwatch",
    trace_url: TRACE = None,
    redact: REDACT = False,
    redact_ids: REDACT_IDS = False,
    log_format: o.LOG_FORMAT = "auto",
    mapped: o.MAP = None,
    max_rejects: o.MAX_REJECTS = "1%",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
    compat: o.COMPAT = None,
    definition: dict[str, Any] | None = None,
) -> None:
    """Write one page that needs no network: what moved, since when, by how much, in which queries.

    Example: recallwatch report sample_logs/recalls --labels sample_logs/labels.jsonl -o report.html
    """
    from ..nightly.build import report

    read = {"log_format": log_format, "map": o.parse_map(mapped), "max_rejects": o.parse_share(max_rejects, "--max-rejects")}
    limits = {name: value for name, value in (("threads", threads), ("memory_limit", memory_limit)) if value is not None}
    chosen = {name: value for name, value in {**(definition or {}), "compat": compat}.items() if value is not None}
    text = report(
        logs,
        labels or [],
        output=format,
        read={**read, **limits},
        definition=chosen,
        by=tuple(part.strip() for part in (by or "").split(",") if part.strip()),
        k=tuple(part.strip() for part in k.split(",")),
        window=window,
        timezone=timezone,
        outputs={"title": title, "trace_url": trace_url, "redact": redact, "redact_ids": redact_ids},
    )
    o.emit(text, output)
    sys.stderr.write(f"recallwatch: {output}\n")
