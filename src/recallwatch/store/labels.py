"""Every label version a store was scored with: labels/<hash>.parquet, and which one holds now."""

from __future__ import annotations

from typing import Any

from ..engine import Engine, quoted
from ..errors import InputError
from ..scoring import labels_hash
from .layout import Store, read_json, settle, temporary_of, write_json


def current(store: Store) -> str | None:
    """Hash of the version that was scored last; None = none yet."""
    path = store.path("labels/current.json")
    if not path.exists():
        return None
    found: Any = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("current"), str):
        raise InputError("does not name a label version", where=str(path), fix="Pass --labels FILE")
    return str(found["current"])


def load(engine: Engine, store: Store, version: str) -> None:
    """The table ``labels`` of a version."""
    path = store.path(f"labels/{version}.parquet")
    if not path.exists():
        raise InputError("the label version is gone", where=str(path), fix="Pass --labels FILE")
    with engine.reading(str(path)):
        engine.run(f"create or replace table labels as select * from read_parquet({quoted(str(path))})")


def save(engine: Engine, store: Store) -> str:
    """Keep the table ``labels`` as the current version; returns its hash."""
    version = labels_hash(engine)
    path = store.path(f"labels/{version}.parquet")
    if not path.exists():
        temporary = temporary_of(path)
        engine.run(
            f"copy (select * from labels order by source, source_line, document_id) to {quoted(str(temporary))} (format parquet, compression zstd)",
            what=f"writing {path.name}",
        )
        settle(temporary, path)
    if not store.path("labels/current.json").exists() or current(store) != version:
        write_json(store.path("labels/current.json"), {"current": version})
    return version
