"""Commit markers: what makes a source part of the store. One JSON file a source; without it the part is garbage."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from .layout import Store, json_of, write_json
from .lock import confirm

LATER = {"labels", "label_fault"}  # not in markers of older versions
NO_DAY = "none"  # the day of events without a timestamp


@dataclass(frozen=True)
class Marker:
    """One committed source.

    Args:
        source: absolute path of the log file.
        size: bytes it had. mtime_ns: its modification time; both are only ever compared for equality.
        content_hash: sha256 of its bytes.
        log_format: name in FORMATS.
        events, rejects: files of the store; rejects None = there are none.
        files: file of the store -> ``{"sha256", "size"}`` of its bytes.
        reading: what it was read with (``log_format``, ``mapped``, ``profile``): read anew where that changes.
        n_events, n_rejects: rows of these.
        has_ids: whether a delivery can be a duplicate.
        first_at, last_at: ISO times, UTC; None = no timestamps.
        days: UTC day (``none`` = no timestamp) -> number of events.
        names: a log's own name -> canonical column.
        attributes: names of the fields kept as attributes.
        labels: file of the store with the labels the log carries itself; None = it carries none.
        label_fault: why the log's own labels cannot be read; an error when no other labels are given.
    """

    source: str
    size: int
    mtime_ns: int
    content_hash: str
    log_format: str
    events: str
    rejects: str | None
    files: Mapping[str, Mapping[str, Any]]
    reading: Mapping[str, Any]
    n_events: int
    n_rejects: int
    has_ids: bool
    first_at: str | None
    last_at: str | None
    days: Mapping[str, int]
    names: Mapping[str, str]
    attributes: tuple[str, ...]
    labels: str | None = None
    label_fault: str = ""

    def damage(self, sizes: Mapping[str, int]) -> str:
        """What is wrong with its files at first sight (missing, another size than ``sizes`` of the store); empty = nothing."""
        for name, known in self.files.items():
            size = sizes.get(name)
            if size != known["size"]:
                return f"{name} is missing" if size is None else f"{name} has {size} bytes, {known['size']} were committed"
        return ""


def slug(source: str) -> str:
    """A file name for a source: readable, and unlike any other source's."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(source).name)[:60].lstrip("._") or "source"
    return f"{readable}-{hashlib.sha256(source.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


def marker_path(store: Store, source: str) -> Path:
    """Path of a source's marker."""
    return store.path(f"commits/{slug(source)}.json")


def write(store: Store, marker: Marker) -> None:
    """Commit: from here on the source counts.

    Raises:
        UsageError: it cannot be written, or the lock is no longer this writer's.
    """
    confirm(store)
    write_json(marker_path(store, marker.source), dataclasses.asdict(marker))


def parse(path: Path, data: bytes) -> Marker:
    """One marker.

    Raises:
        InputError: not a marker; naming what to do.
    """
    content = json_of(path, data)
    names = {entry.name for entry in dataclasses.fields(Marker)}
    if not isinstance(content, dict) or not names - LATER <= set(content) <= names:
        raise InputError(
            "not a commit marker", where=str(path), fix="Restore it from a backup, or remove it and ingest its source again"
        )
    return Marker(**{**content, "attributes": tuple(content["attributes"])})


def by_source(store: Store) -> dict[str, Marker]:
    """Every marker that can be read, by source; one that is broken is left out: its source must be read again."""
    markers = {}
    for name, data in store.contents("commits", ".json").items():
        with contextlib.suppress(InputError):
            one = parse(store.path(f"commits/{name}"), data)
            markers[one.source] = one
    return markers


def snapshot(store: Store) -> list[Marker]:
    """All committed sources at one moment, by source.

    Raises:
        InputError: a marker is damaged.
    """
    markers = (parse(store.path(f"commits/{name}"), data) for name, data in store.contents("commits", ".json").items())
    return sorted(markers, key=lambda marker: marker.source)


def sizes(store: Store, markers: Iterable[Marker]) -> dict[str, int]:
    """Bytes of the files that some markers name, as they are now."""
    return store.sizes([name for one in markers for name in one.files])


def union_names(markers: list[Marker]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Names and attributes of all sources together, in an order that no split changes."""
    names = {name: column for marker in markers for name, column in marker.names.items()}
    return dict(sorted(names.items())), tuple(sorted({name for marker in markers for name in marker.attributes}))
