"""`recallwatch ingest`: adds new and changed logs to a store."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.takes import INGEST
from . import options as o

if TYPE_CHECKING:
    from ..store.parts import Ingested

STORE = Annotated[
    str, typer.Option("--store", metavar="DIR", help="Folder of the store, or its address (s3://…); made where there is none.")
]
FORGET = Annotated[
    bool, typer.Option("--forget", help="Remove sources whose file is gone. Default: they stay, because logs rotate.")
]


@o.takes(INGEST)
def command(
    logs: o.LOGS,
    store: STORE,
    forget: FORGET = False,
    format: o.FORMAT = None,
    engine: o.ENGINE = "duckdb",
    master: o.MASTER = None,
    options: o.Options = o.GIVEN,
) -> None:
    """Add to a store what is new in the logs; unchanged files are skipped.

    Example: recallwatch ingest sample_logs/recalls --store store
    """
    o.answer(_ingester(engine, master), logs, options={**options, "store": store, "forget": forget}, format=format, output=None)


def _ingester(engine: str, master: str | None) -> Callable[..., Ingested]:
    """What reads the logs: this machine, or a Spark cluster."""
    if o.is_spark(engine, master):
        from ..spark import ingest_on

        return functools.partial(ingest_on, master or "local[*]")
    from ..store import ingest

    return ingest
