"""`recallwatch convert`: any log format to canonical Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..base.takes import CONVERT
from . import options as o

OUT = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The Parquet file to write.", show_default=False)]


@o.takes(CONVERT)
def command(logs: o.LOGS, output: OUT, options: o.Options = o.GIVEN) -> None:
    """Write the recalls of any log format as one Parquet file.

    Example: recallwatch convert sample_logs/recalls -o events.parquet
    """
    from ..base.progress import tell
    from ..export.parquet import convert

    tell(str(o.watched(convert, logs, output, **options)))
