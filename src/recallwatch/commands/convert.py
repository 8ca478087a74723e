"""`recallwatch convert`: any log format to canonical Parquet."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from . import options as o

OUT = Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.", show_default=False)]


def command(
    logs: o.LOGS,
    output: OUT,
    start: o.FROM = None,
    end: o.TO = None,
    log_format: o.LOG_FORMAT = "auto",
    profile: o.PROFILE = None,
    mapped: o.MAP = None,
    max_rejects: o.MAX_REJECTS = "1%",
    on_bad_line: o.ON_BAD_LINE = "skip",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
) -> None:
    """Write the recalls of any log format as one Parquet file.

    Example: recallwatch convert sample_logs/recalls -o events.parquet
    """
    from ..convert import convert

    done = convert(
        logs,
        output,
        start=start,
        end=end,
        log_format=log_format,
        profile=profile,
        mapped=o.parse_map(mapped),
        max_rejects=o.parse_share(max_rejects, "--max-rejects"),
        on_bad_line=on_bad_line,
        threads=threads,
        memory_limit=memory_limit,
    )
    sys.stderr.write(f"{done}\n")
