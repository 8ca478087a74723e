"""`recallwatch sql`: a store's views without a DuckDB client."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from .attach import DIR

QUERY = Annotated[str, typer.Argument(metavar="SQL", help="One query; `show tables` lists what there is.", show_default=False)]
FORM = Annotated[str, o.form("text", "csv", "json")]


def command(folder: DIR, query: QUERY, format: FORM = "text", output: o.OUTPUT = None) -> None:
    """Query a store's views and macros with SQL; the store is opened for reading only.

    Example: recallwatch sql store "select day_utc, value from metrics where metric = 'recall' and k = 10 order by day_utc"
    """
    from ..document.outputs import chosen
    from ..store.sql_query import FORMS, Rows, ask

    entry = chosen(format, FORMS)
    o.deliver(Rows(ask(folder, query)), entry, output)
