"""`recallwatch store info|gc|verify`: looking after a store."""

from __future__ import annotations

import json
import sys

import typer

from .attach import DIR

app = typer.Typer(
    help="Look after a store.\n\nExample: recallwatch store info store",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("info")
def info(folder: DIR) -> None:
    """Sizes, ranges and versions, as JSON.

    Example: recallwatch store info store
    """
    from ..store import open_store
    from ..store.maintenance import info as told

    sys.stdout.write(json.dumps(told(open_store(folder)), indent=1) + "\n")


@app.command("gc")
def gc(folder: DIR) -> None:
    """Remove files that no marker, no index and no recall.duckdb names, and sums under labels that are no longer current.

    Example: recallwatch store gc store
    """
    from ..store import open_store
    from ..store.lock import writing
    from ..store.maintenance import collect_garbage

    store = open_store(folder)
    with writing(store):
        done = collect_garbage(store, is_thorough=True)
    sys.stdout.write(f"{done['files']} files, {done['bytes']:,} bytes removed\n")


@app.command("verify")
def verify(folder: DIR) -> None:
    """Read every committed file and compare it with the hash that was recorded; exit 3 where one differs.

    Example: recallwatch store verify store
    """
    from ..base.errors import InputError
    from ..store import open_store
    from ..store.maintenance import verify as faults_of

    store = open_store(folder)
    faults = faults_of(store)
    sys.stdout.write("".join(f"{fault}\n" for fault in faults) or "every file is as it was committed\n")
    if faults:
        raise InputError(f"{len(faults)} files are not as they were committed", where=str(store.folder), fix="See the lines above")
