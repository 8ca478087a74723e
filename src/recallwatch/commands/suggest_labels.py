"""`recallwatch suggest-labels`: what to label next, and how far it gets the coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

N = Annotated[int, typer.Option("-n", "--n", help="Number of lines.")]
K = Annotated[int, typer.Option("--k", help="Cutoff k: ranks that are looked at.")]
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


@o.with_shared()
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
    reading: dict[str, Any] = o.GIVEN,
    definition: dict[str, Any] = o.GIVEN,
) -> None:
    """List which queries and documents to label next; -o labels.todo.jsonl writes a worksheet for `recallwatch ingest-labels`.

    Example: recallwatch suggest-labels sample_logs/recalls --labels sample_logs/labels.jsonl -n 10
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver
    from ..labels.suggestions import SUGGESTION_OUTPUTS, suggest_labels

    suffix = next((o.name for o in SUGGESTION_OUTPUTS.values() if output and o.suffix == output.suffix), "text")
    entry = chosen(format or suffix, SUGGESTION_OUTPUTS)
    with Progress() as progress:
        found = suggest_labels(
            logs,
            labels,
            n=n,
            k=k,
            documents=documents,
            similar=similar,
            corpus=corpus,
            start=start,
            end=end,
            **reading,
            watcher=progress,
            **definition,
        )
    deliver(found, entry, output)
