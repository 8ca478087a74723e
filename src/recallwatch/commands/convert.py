"""`recallwatch convert`: any log format to canonical Parquet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

OUT = Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.", show_default=False)]


@o.with_shared()
def command(
    logs: o.LOGS,
    output: OUT,
    start: o.FROM = None,
    end: o.TO = None,
    reading: dict[str, Any] = o.GIVEN,
) -> None:
    """Write the recalls of any log format as one Parquet file.

    Example: recallwatch convert sample_logs/recalls -o events.parquet
    """
    from ..export.parquet import convert

    done = convert(
        logs,
        output,
        start=start,
        end=end,
        **reading,
    )
    sys.stderr.write(f"{done}\n")
