"""`recallwatch ingest`: adds to a store what is new."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from . import options as o

STORE = Annotated[str, typer.Option("--store", metavar="DIR", help="Folder of the store; made where there is none.")]
FORGET = Annotated[bool, typer.Option("--forget", help="Take out sources whose file is gone. Default: they stay, logs rotate.")]
FORM = Annotated[str, typer.Option("--format", "-f", metavar="text|json", help="What is printed when done.")]


def command(
    logs: o.LOGS,
    store: STORE,
    forget: FORGET = False,
    format: FORM = "text",
    log_format: o.LOG_FORMAT = "auto",
    mapped: o.MAP = None,
    profile: o.PROFILE = None,
    max_rejects: o.MAX_REJECTS = "1%",
    on_bad_line: o.ON_BAD_LINE = "skip",
    threads: o.THREADS = None,
    memory_limit: o.MEMORY = None,
) -> None:
    """Add to a store what is new in the logs; unchanged files are skipped.

    Example: recallwatch ingest sample_logs/recalls --store store
    """
    from ..errors import UsageError
    from ..narrate import Progress
    from ..registry import known
    from ..store import ingest

    if format not in ("text", "json"):
        raise UsageError(f"unknown format {format!r}", where="--format", fix=known(format, ("text", "json")))
    with Progress() as progress:
        done = ingest(
            logs,
            store=store,
            forget=forget,
            log_format=log_format,
            mapped=o.parse_map(mapped),
            profile=profile,
            max_rejects=o.parse_share(max_rejects, "--max-rejects"),
            on_bad_line=on_bad_line,
            threads=threads,
            memory_limit=memory_limit,
            watcher=progress,
        )
    if format == "json":
        sys.stdout.write(json.dumps(done.to_dict(), indent=1) + "\n")
        return
    counts = {name: len(getattr(done, name)) for name in ("new", "changed", "unchanged", "vanished", "forgotten")}
    parts = [f"{n} {name}" for name, n in counts.items() if n or name in ("new", "unchanged")]
    sys.stdout.write(f"{', '.join(parts)} · {done.n_events:,} events and {done.n_rejects:,} rejects read\n")
