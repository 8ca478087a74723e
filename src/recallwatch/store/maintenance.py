"""`recallwatch store info|gc|verify`: what is there, what nothing names, whether it is as it was committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import sqlfiles
from ..base.errors import InputError
from ..base.files import sha256_of
from ..base.version import __version__
from ..document.model import NAME, TEXT, Column, Document, Section
from ..document.result import Result
from . import label_versions, marker
from .database import sheet_of
from .layout import FOLDERS, FORMAT, Store, read_json
from .lock import confirm
from .snapshot import take


@dataclass(frozen=True)
class Info(Result):
    """Sizes, ranges and versions of a store."""

    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``recallwatch store info``."""
        return self.facts

    def document(self) -> Document:
        """The same as one table."""
        flat = {**self.facts, **{f"bytes of {name}": size for name, size in self.facts["bytes"].items()}}
        rows = [(name.replace("_", " "), f"{v:,}" if isinstance(v, int) else v) for name, v in flat.items() if name != "bytes"]
        return Document(f"store {self.facts['folder']}", [Section("", [Column("what", NAME), Column("value", TEXT)], rows)])


def info(store: Store) -> dict[str, Any]:
    """The facts of :class:`Info`."""
    snapshot = take(store)
    days = [day for day in snapshot.days if day != marker.NO_DAY]
    sizes = {name: sum(path.stat().st_size for path in store.path(name).glob("*") if path.is_file()) for name in FOLDERS}
    return {
        "folder": str(store.folder),
        "format": FORMAT,
        "made_by": read_json(store.sheet).get("made_by"),
        "read_by": f"recallwatch {__version__}",
        "sources": len(snapshot.markers),
        "events": sum(one.n_events for one in snapshot.markers),
        "rejects": sum(one.n_rejects for one in snapshot.markers),
        "days": len(days),
        "first_day_utc": days[0] if days else None,
        "last_day_utc": days[-1] if days else None,
        "label_versions": len(list(store.path("labels").glob("*.parquet"))),
        "labels": label_versions.current(store),
        "runs": len(list(store.path("runs").glob("*.json"))),
        "log_bytes": sum(one.size for one in snapshot.markers),
        "bytes": {**sizes, "recall.duckdb": store.database.stat().st_size if store.database.exists() else 0},
    }


def garbage(store: Store, *, is_thorough: bool = False) -> list[Path]:
    """Files of the store that no marker, no index and no recall.duckdb names; the caller holds the lock.

    A marker that cannot be read may name anything: then no part is garbage. Sums under another sql/ are garbage;
    where ``is_thorough``, so are those under other labels than the current ones: they can be made again.
    """
    labels = label_versions.current(store) if is_thorough else None
    indexes = {path: _index(path) for path in store.path("aggregates").glob("*.json")}
    stale = [path for path, index in indexes.items() if _is_stale(index, labels)]
    keep, is_sure = _named(store, [index for path, index in indexes.items() if path not in stale])
    folders = [store.folder, *(store.path(name) for name in FOLDERS)]
    leftovers = [path for folder in folders for path in folder.glob("*.tmp*") if path.name[0] != "."]  # of versions up to 0.1
    for folder in ("events", "rejects", "carried") if is_sure else ():
        leftovers += [path for path in store.path(folder).glob("*.parquet") if f"{folder}/{path.name}" not in keep]
    leftovers += [path for path in store.path("aggregates").glob("*.parquet") if path.name not in keep]
    return sorted({*leftovers, *stale})


def _index(path: Path) -> Any:
    try:
        return read_json(path)
    except InputError:
        return None


def _is_stale(index: Any, labels: str | None) -> bool:
    try:
        head = index["head"]
        return "sql" in head and (head["sql"] != sqlfiles.sql_hash() or (labels is not None and head["labels"] != labels))
    except (KeyError, TypeError):
        return True  # a broken index is computed again


def _named(store: Store, indexes: Iterable[Mapping[str, Any]]) -> tuple[set[str], bool]:
    keep, is_sure = {str(name) for name in sheet_of(store).get("parts", [])}, True
    for name, data in store.contents("commits", ".json").items():
        try:
            keep |= set(marker.parse(store.path(f"commits/{name}"), data).files)
        except InputError:
            is_sure = False
    for index in indexes:
        keep |= {str(entry.get("file")) for entry in dict(index.get("days", {})).values()}
    return keep, is_sure


def collect_garbage(store: Store, *, is_thorough: bool = False) -> dict[str, int]:
    """Remove what nothing names; returns how many files and bytes. The caller holds the lock."""
    paths = garbage(store, is_thorough=is_thorough)
    size = sum(path.stat().st_size for path in paths)
    confirm(store)
    for path in paths:
        path.unlink(missing_ok=True)
    return {"files": len(paths), "bytes": size}


def verify(store: Store) -> list[str]:
    """Every committed file against the hash that was recorded; one line a fault, none = all is well."""
    faults = []
    for name, data in store.contents("commits", ".json").items():
        try:
            commit = marker.parse(store.path(f"commits/{name}"), data)
        except InputError as error:
            faults.append(str(error))
            continue
        faults += [f"{fault}. Ingest its source again: {commit.source}" for fault in _faults(store, commit)]
    for path in sorted(store.path("labels").glob("*.parquet")):
        if path.read_bytes()[-4:] != b"PAR1":
            faults.append(f"labels/{path.name}: cut short. Pass these --labels again")
    return faults


def _faults(store: Store, commit: marker.Marker) -> list[str]:
    if damage := commit.damage(marker.sizes(store, [commit])):
        return [damage]
    return [
        f"{name}: its bytes are not those that were committed"
        for name, known in commit.files.items()
        if sha256_of(store.path(name)) != known["sha256"]
    ]
