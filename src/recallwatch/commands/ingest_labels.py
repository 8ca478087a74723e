"""`recallwatch ingest-labels`: a filled-in worksheet, or any labels, into a store."""

from __future__ import annotations

from typing import Annotated

import typer

from ..labels.options import INGEST_LABELS
from . import options as o

FILES = Annotated[
    list[str], typer.Argument(metavar="FILE…", help="Worksheets of suggest-labels, or labels in any form.", show_default=False)
]
STORE = Annotated[str, typer.Option("--store", metavar="DIR", help="Folder of the store.", show_default=False)]


@o.takes(INGEST_LABELS)
def command(files: FILES, store: STORE, format: o.FORMAT = None, options: o.Options = o.GIVEN) -> None:
    """Add judgements to a store's labels as a new version, and show the means under the old and the new one.

    Example: recallwatch ingest-labels labels.todo.jsonl --store store --judged-by ada
    """
    from ..labels.ingestion import ingest_labels

    o.answer(ingest_labels, files, options={**options, "store": store}, format=format, output=None)
