"""The end of a run: unused files are deleted, the run is recorded, recall.duckdb is written, failures are raised."""

from __future__ import annotations

import dataclasses
import datetime as dt

from ..base.definition import Definition, columns_of
from ..base.engine import Engine
from ..base.errors import InputError
from ..base.tracing import Steps
from ..base.version import __version__
from ..document.result import Result
from ..scoring.acceptance import lack_times
from ..scoring.binding import bind
from ..scoring.plan import Plan
from ..scoring.result import Evaluation
from ..scoring.unread import refuse_unread
from . import label_versions
from .database import build, key_of, sheet_of
from .duplicates import find_duplicates
from .layout import Store, write_json
from .maintenance import collect_garbage
from .parts import Ingested
from .scores import by_day, scored
from .snapshot import Snapshot, relation, take
from .source import StoredRecalls


def close_run(
    engine: Engine, store: Store, plan: Plan, done: Ingested, steps: Steps, *, command: str = "ingest", renews: bool = True
) -> None:
    """Clear, record and, where no evaluation follows, renew recall.duckdb.

    Raises:
        InputError: some source could not be read, or no event of the store has what is named of the log; the others are committed.
    """
    collect_garbage(store)
    record(store, command, done)
    if renews or done.failed:
        renew(engine, store, plan, steps, only_if_other=True)
    if done.failed:
        more = f" ({len(done.failed) - 1} more sources failed; all others are committed)" if len(done.failed) > 1 else ""
        raise InputError(next(iter(done.failed.values())) + more)
    if command == "ingest" and (done.new or done.changed):
        refuse_unread(engine, plan.reading, relation(engine, take(store)))


def record(store: Store, command: str, done: Result) -> None:
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


def renew(
    engine: Engine, store: Store, plan: Plan, steps: Steps, *, only_if_other: bool = False, result: Evaluation | None = None
) -> None:
    """Build recall.duckdb from what is committed, with the numbers of the last definition by UTC day (``result``, where they are there)."""
    snapshot, plan = take(store), _last(store, plan)
    if only_if_other and store.database.exists() and sheet_of(store).get("key") == key_of(snapshot, plan):
        return
    result = result or _numbers(engine, snapshot, plan, steps)
    with steps("database"):
        build(snapshot, plan, result, find_duplicates(engine, snapshot, is_writer=True))


def _last(store: Store, plan: Plan) -> Plan:
    """What the store was last scored by; else the defaults."""
    request = label_versions.request(store)
    definition = Definition(**request["options"]) if request else plan.definition
    columns = columns_of(request["columns"], (None,)) if request else plan.cut.columns
    return by_day(dataclasses.replace(plan, definition=definition, cut=dataclasses.replace(plan.cut, columns=tuple(columns))))


def _numbers(engine: Engine, snapshot: Snapshot, plan: Plan, steps: Steps) -> Evaluation | None:
    """None where nothing was scored yet, or labels and events do not meet."""
    if not label_versions.request(snapshot.store) or not snapshot.markers:
        return None
    version = label_versions.current(snapshot.store)
    if lack_times(snapshot.n_without_time, snapshot.n_all, plan.reading):
        plan = dataclasses.replace(plan, cut=dataclasses.replace(plan.cut, window="all"))
    bind(engine, plan.definition, plan.cut)
    form = "store" if version else label_versions.no_labels(engine, must=False)
    if version:
        label_versions.load(engine, snapshot.store, version)
    try:
        return scored(engine, StoredRecalls(snapshot.store, is_writer=True), plan, form, steps)
    except InputError:
        return None
