"""The end of every run: what failed is told, what nothing names is cleared, the run is recorded, recall.duckdb is renewed."""

from __future__ import annotations

import datetime as dt

from .. import __version__
from ..engine import Engine
from ..errors import InputError
from .ingest import Ingested
from .layout import Store, write_json
from .reading import take


def finish(engine: Engine, store: Store, done: Ingested) -> None:
    """Record a run.

    Raises:
        InputError: some source could not be read; the others are committed.
    """
    record(store, "ingest", done)
    if done.failed:
        more = f" ({len(done.failed) - 1} more sources failed; all others are committed)" if len(done.failed) > 1 else ""
        raise InputError(next(iter(done.failed.values())) + more)


def record(store: Store, command: str, done: Ingested) -> None:
    """runs/<time>-<number>.json: what a run saw and decided. The number orders them, whatever the clock did."""
    numbers = [int(path.stem.rpartition("-")[2]) for path in store.path("runs").glob("*.json")]
    number = max(numbers, default=0) + 1
    now = dt.datetime.now(dt.UTC)
    snapshot = take(store)
    write_json(
        store.path(f"runs/{now:%Y%m%dT%H%M%SZ}-{number:06}.json"),
        {
            "number": number,
            "at": now.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "command": command,
            "version": __version__,
            "n_sources": len(snapshot.markers),
            "n_days": len(snapshot.days),
            "state": snapshot.fingerprint,
            **done.to_dict(),
        },
    )
