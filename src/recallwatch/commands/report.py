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
BY = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Columns or attributes to group by, each for itself; a*b = their cross product. Default: of a store, those it was last scored by; else none.",
    ),
]
K = Annotated[
    str | None,
    typer.Option("--k", help="Cutoffs k, e.g. 1,3,5,10. Default: of a store, those it was last scored at; else 1,3,5,10."),
]


@o.with_shared(without=("profile", "on_bad_line"))
def command(
    logs: SOURCE,
    labels: o.LABELS = None,
    output: TARGET = Path("report.html"),
    format: FORMAT = "html",
    by: BY = None,
    k: K = None,
    window: WINDOW = "day",
    timezone: o.TIMEZONE = "UTC",
    title: TITLE = "recallwatch",
    trace_url: TRACE = None,
    redact: REDACT = False,
    redact_ids: REDACT_IDS = False,
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """Write one page that needs no network: what changed, since when, by how much, in which queries.

    Example: recallwatch report sample_logs/recalls --labels sample_logs/labels.jsonl -o report.html
    """
    from ..document.outputs import emit
    from ..nightly.steps import report

    mapped = reading.pop("mapped")
    text = report(
        logs,
        labels or [],
        output=format,
        read={"map": mapped, **{name: value for name, value in reading.items() if value is not None}},
        definition=definition,
        by=None if by is None else tuple(part.strip() for part in by.split(",") if part.strip()),
        k=None if k is None else tuple(part.strip() for part in k.split(",")),
        window=window,
        timezone=timezone,
        outputs={"title": title, "trace_url": trace_url, "redact": redact, "redact_ids": redact_ids},
    )
    emit(text, output)
    sys.stderr.write(f"recallwatch: {output}\n")
