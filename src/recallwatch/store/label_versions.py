"""Every label version a store was scored with: labels/<hash>.parquet, and which one holds now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.engine import Engine, quoted_paths
from ..base.errors import InputError, UsageError
from ..read.log_labels import refuse_shared_texts
from ..scoring.state_key import labels_hash
from .layout import Store, read_json, stored, write_json
from .snapshot import Snapshot

CARRIED = "the log itself"  # where labels came from


def current(store: Store) -> str | None:
    """Hash of the version that was scored last; None = none yet, though it may have been evaluated without."""
    path = store.path("labels/current.json")
    if not path.exists():
        return None
    content: Any = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get("current", 0), str | None):
        raise InputError("does not name a label version", where=str(path), fix="Pass --labels FILE")
    version: str | None = content["current"]
    return version


def no_labels(engine: Engine, *, must: bool) -> str:
    """Nothing says which ids should come back: a table `labels` without rows and "", or an error where something ``must``."""
    if must:
        fix = "Name the file that says which ids should come back"
        raise UsageError("no labels given, and the store has none yet", where="--labels", fix=fix)
    engine.file("2_judge/no_labels.sql")
    return ""


def load_carried(engine: Engine, snapshot: Snapshot) -> str:
    """The table ``labels`` of what the logs of a store carry; where they came from, "" = they carry none.

    Raises:
        InputError: some log carries labels that cannot be read.
    """
    for marker in snapshot.markers:
        if marker.label_fault:
            raise InputError(f"labels that a log carries cannot be read: {marker.label_fault}", fix="Pass --labels FILE")
    files = [str(snapshot.store.path(marker.labels)) for marker in snapshot.markers if marker.labels]
    if not files:
        return ""
    snapshot.store.reach(engine, files)
    engine.run(f"create or replace table labels as select * from read_parquet({quoted_paths(files)}, union_by_name = true)")
    refuse_shared_texts(engine)
    return CARRIED


def load(engine: Engine, store: Store, version: str) -> None:
    """The table ``labels`` of a version."""
    path = store.path(f"labels/{version}.parquet")
    if not path.exists():
        raise InputError("the label version is gone", where=str(path), fix="Pass --labels FILE")
    store.reach(engine, [str(path)])
    with engine.reading(str(path)):
        engine.run(f"create or replace table labels as select * from read_parquet({quoted_paths(path)})")


def request(store: Store) -> dict[str, Any]:
    """How the store was last scored: ``options`` of the definition, ``columns``, ``by``; empty = not yet."""
    return dict(read_json(store.path("labels/current.json"))) if store.path("labels/current.json").exists() else {}


def save(
    engine: Engine, store: Store, definition: dict[str, Any], columns: list[str], by: Sequence[str] = (), *, form: str
) -> None:
    """Keep the table ``labels`` as the current version, with what it was scored by; ``form`` "" = there are none.

    Without segments (``by``) the stored ones stay: one evaluation of the total does not change the page.
    """
    version = labels_hash(engine) if form else None
    path = store.path(f"labels/{version}.parquet")
    if form and not path.exists():
        with stored(path) as temporary:
            select = "select * from labels order by source, source_line, document_id"
            engine.write(select, temporary, what=f"writing {path.name}")
    before = request(store)
    now = {"current": version, "options": definition, "columns": columns, "by": list(by) or before.get("by", [])}
    now |= {"carried": True} if form == CARRIED else {}  # then later logs may carry more
    if before != now:
        write_json(store.path("labels/current.json"), now)
