"""`recallwatch ingest`: adds to a store what is new."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as o

if TYPE_CHECKING:
    from ..store.parts import Ingested

STORE = Annotated[
    str, typer.Option("--store", metavar="DIR", help="Folder of the store, or its address (s3://…); made where there is none.")
]
FORGET = Annotated[
    bool, typer.Option("--forget", help="Remove sources whose file is gone. Default: they stay, because logs rotate.")
]
FORM = Annotated[str, typer.Option("--format", "-f", metavar="text|json|markdown", help="What is printed when done.")]


@o.with_shared()
def command(
    logs: o.LOGS,
    store: STORE,
    forget: FORGET = False,
    format: FORM = "text",
    reading: dict[str, Any] = o.GIVEN,
    engine: o.ENGINE = "duckdb",
    master: o.MASTER = None,
) -> None:
    """Add to a store what is new in the logs; unchanged files are skipped.

    Example: recallwatch ingest sample_logs/recalls --store store
    """
    from ..base.progress import Progress
    from ..document.outputs import chosen, deliver

    entry = chosen(format)
    ingest = _ingester(engine, master)
    with Progress() as progress:
        done = ingest(
            logs,
            store=store,
            forget=forget,
            **reading,
            watcher=progress,
        )
    deliver(done, entry, None)


def _ingester(engine: str, master: str | None) -> Callable[..., Ingested]:
    """What reads the logs: this machine, or a Spark cluster."""
    if o.is_spark(engine, master):
        from ..spark import ingest_on

        return functools.partial(ingest_on, master or "local[*]")
    from ..store import ingest

    return ingest
