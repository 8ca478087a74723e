"""`recallwatch mcp`: tools for agents, over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.takes import INGEST
from . import options as o

REDACT = Annotated[
    bool, typer.Option("--redact", help="Hide query texts, contents and tenants; sql sees metrics and latency only.")
]
WHERE = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="CONDITION", help="Answer from these recalls only, e.g. \"tenant_id = 'acme'\"; sql is not offered then."
    ),
]
ROWS = Annotated[int, typer.Option("--rows", metavar="N", min=1, max=10_000, help="Rows of each table in an answer.")]


@o.takes(INGEST)
def command(
    logs: o.LOGS_OR_STORE,
    labels: o.LABELS = None,
    where: WHERE = None,
    redact: REDACT = False,
    rows: ROWS = 100,
    options: o.Options = o.GIVEN,
) -> None:
    """Serve evaluate, drift, explain and sql to an agent, on stdin and stdout; it reads these logs and nothing else.

    Example: recallwatch mcp store
    """
    from ..agents.answers import Data
    from ..agents.server import server

    server(Data(logs, labels, options, rows, redact, where)).run("stdio")
