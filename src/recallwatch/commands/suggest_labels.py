"""`recallwatch suggest-labels`: what to label next, and how far it gets the coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

N = Annotated[int, typer.Option("-n", "--n", help="Lines wanted.")]
K = Annotated[int, typer.Option("--k", help="Depth looked at.")]
DOCUMENTS = Annotated[int, typer.Option("--documents", help="Documents a line lists at most.")]
SIMILAR = Annotated[
    float, typer.Option("--similar", help="Text similarity 0..1 from which two queries share a line; 1 = same words.")
]
CORPUS = Annotated[
    Path | None,
    typer.Option("--corpus", metavar="FILE", help="JSON lines or Parquet of ids and texts: the worksheet shows the texts."),
]
FORMAT = Annotated[
    str | None,
    typer.Option("--format", "-f", help="text, jsonl (the worksheet), json or markdown. Default: by the name of -o, else text."),
]


@o.with_definition
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    n: N = 50,
    k: K = 10,
    documents: DOCUMENTS = 10,
    similar: SIMILAR = 0.75,
    corpus: CORPUS = None,
    start: o.FROM = None,
    end: o.TO = None,
    format: FORMAT = None,
    output: o.OUTPUT = None,
    log_format: o.LOG_FORMAT = "auto",
    mapped: o.MAP = None,
    profile: o.PROFILE = None,
    max_rejects: o.MAX_REJECTS = "1%",
    on_bad_line: o.ON_BAD_LINE = "skip",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
    compat: o.COMPAT = None,
    definition: dict[str, Any] | None = None,
) -> None:
    """Say which queries and documents to label next; -o labels.todo.jsonl writes a worksheet for `recallwatch ingest-labels`.

    Example: recallwatch suggest-labels sample_logs/recalls --labels sample_logs/labels.jsonl -n 10
    """
    from ..narrate import Progress
    from ..registry import pick
    from ..suggest import SUGGESTION_OUTPUTS, suggest_labels

    suffix = {".jsonl": "jsonl", ".json": "json", ".md": "markdown"}.get(output.suffix if output else "", "text")
    entry = pick(SUGGESTION_OUTPUTS, "output format", format or suffix)
    share = o.parse_share(max_rejects, "--max-rejects")
    with Progress() as progress:
        found = suggest_labels(
            logs,
            labels,
            n=n,
            k=k,
            documents=documents,
            similar=similar,
            corpus=corpus,
            compat=compat,
            start=start,
            end=end,
            log_format=log_format,
            mapped=o.parse_map(mapped),
            profile=profile,
            max_rejects=share,
            on_bad_line=on_bad_line,
            threads=threads,
            memory_limit=memory_limit,
            watcher=progress,
            **(definition or {}),
        )
    o.emit(entry.write(found), output)
