"""`recallwatch store info|erase|gc|verify`: looking after a store."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options as o
from .attach import DIR

FORM = Annotated[str, o.form("json", "text", "markdown")]
app = o.group("Look after a store.", "store info store")


@app.command("info")
def info(folder: DIR, format: FORM = "json") -> None:
    """Sizes, ranges and versions.

    Example: recallwatch store info store
    """
    from ..document.outputs import chosen
    from ..store import open_store
    from ..store.maintenance import Info
    from ..store.maintenance import info as facts

    entry = chosen(format)
    o.deliver(Info(facts(open_store(folder))), entry, None)


@app.command("erase")
def erase(
    folder: DIR,
    tenant: Annotated[str | None, typer.Option("--tenant", metavar="ID", help="Recalls of this tenant go.")] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="ID", help="Recalls of this session go.")] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="DATE", help="Recalls before this time go (ISO 8601; no zone = UTC).")
    ] = None,
    format: o.FORMAT = None,
) -> None:
    """Erase recalls for good: parts and sums are rewritten, all else keeps its bytes, and no log brings them back.

    Example: recallwatch store erase store --tenant acme
    """
    from ..document.outputs import chosen
    from ..store import erase as erased

    entry = chosen(format)
    o.deliver(erased(folder, tenant=tenant, session=session, before=before), entry, None)


@app.command("gc")
def gc(folder: DIR) -> None:
    """Remove files that no marker, no index and no recall.duckdb names, and sums under labels that are no longer current.

    Example: recallwatch store gc store
    """
    from ..document.numbers import plural
    from ..document.outputs import emit
    from ..store import open_store
    from ..store.lock import writing
    from ..store.maintenance import collect_garbage

    store = open_store(folder)
    with writing(store):
        done = collect_garbage(store, is_thorough=True)
    emit(f"{plural(done['files'], 'file')}, {plural(done['bytes'], 'byte')} removed\n", None)


@app.command("verify")
def verify(folder: DIR) -> None:
    """Read every committed file and compare it with the hash that was recorded; exit 3 where one differs.

    Example: recallwatch store verify store
    """
    from ..base.errors import InputError
    from ..document.outputs import emit
    from ..store import open_store
    from ..store.maintenance import verify as faults_of

    store = open_store(folder)
    faults = faults_of(store)
    emit("".join(f"{fault}\n" for fault in faults) or "every file is as it was committed\n", None)
    if faults:
        raise InputError(f"{len(faults)} files are not as they were committed", where=str(store.folder), fix="See the lines above")
