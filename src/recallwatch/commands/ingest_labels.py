"""`recallwatch ingest-labels`: a filled-in worksheet, or any labels, into a store."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o

FILES = Annotated[
    list[str], typer.Argument(metavar="FILE…", help="Worksheets of suggest-labels, or labels in any form.", show_default=False)
]
STORE = Annotated[str, typer.Option("--store", metavar="DIR", help="Folder of the store.", show_default=False)]
JUDGE = Annotated[
    str | None, typer.Option("--judge", metavar="NAME", help="Who or what judged (label_source), where a line has none.")
]
AT = Annotated[
    str | None, typer.Option("--judged-at", metavar="TIME", help="Time of the judgement, where a line has none. Default: now.")
]
OTHERS = Annotated[
    str,
    typer.Option(
        "--others", metavar="unjudged|not-relevant", help="Grade of documents that a filled-in line shows and does not name."
    ),
]
FORM = Annotated[str, typer.Option("--format", "-f", metavar="text|json|markdown", help="What is printed when done.")]


def command(
    files: FILES,
    store: STORE,
    judge: JUDGE = None,
    judged_at: AT = None,
    others: OTHERS = "unjudged",
    format: FORM = "text",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
) -> None:
    """Add judgements to a store's labels as a new version, and show the means under the old and the new one.

    Example: recallwatch ingest-labels labels.todo.jsonl --store store --judge ada
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..labels.ingestion import ingest_labels

    entry = chosen(format)
    with Progress() as progress:
        done = ingest_labels(
            files,
            store=store,
            judge=judge,
            judged_at=judged_at,
            others=others,
            threads=threads,
            memory_limit=memory_limit,
            watcher=progress,
        )
    deliver(done, entry, None)
