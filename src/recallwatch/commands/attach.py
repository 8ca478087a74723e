"""`recallwatch attach`: writes recall.duckdb for the present path of its folder."""

from __future__ import annotations

from typing import Annotated

import typer

DIR = Annotated[str, typer.Argument(metavar="DIR", help="Folder of the store.", show_default=False)]


def command(folder: DIR) -> None:
    """Write a store's recall.duckdb anew, after its folder was moved or copied.

    Example: recallwatch attach store
    """
    from ..document.outputs import emit
    from ..store import attach

    emit(f"{attach(folder).database}\n", None)
