"""Log files to committed parts of a store: only what is new or changed is read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..engine import Engine, identifier, quoted
from ..errors import InputError
from ..measure import accept
from ..read import Logs, read_logs
from ..read.paths import expand
from ..read.remote import path_of
from ..request import Request
from . import marker
from .layout import Store, part_name, settle, temporary_of
from .marker import Marker

BLOCK = 4 << 20
DAY = """("timestamp" at time zone 'UTC')::date"""  # kept beside the contract's columns: a day is found without a scan


@dataclass
class Ingested:
    """What one ingest did, by source.

    Args:
        new, changed, unchanged: absolute paths.
        vanished: committed sources whose file is gone; they stay in the store.
        forgotten: those of them that were taken out.
        failed: source -> why; the part it had before stays.
        n_events, n_rejects: rows read.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    n_events: int = 0
    n_rejects: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For the run's record and for ``-f json``."""
        return dict(vars(self))


def ingest_files(engine: Engine, store: Store, sources: list[str], request: Request, *, forget: bool = False) -> Ingested:
    """Commit every file that is new or changed, one after the other; the caller holds the lock.

    A file that cannot be read is named in ``failed``, and the others go on.
    """
    done = Ingested()
    for path in expand(sources, kind="log"):
        source = str(path.absolute())
        before = marker.of_source(store, source)
        try:
            _one(engine, store, path_of(source), request, before=before, done=done)
        except (InputError, FileNotFoundError) as error:
            done.failed[source] = str(error) if isinstance(error, InputError) else f"{source}: deleted while it was read"
    done.vanished = [found.source for found in _readable(store) if not path_of(found.source).exists()]
    if forget:
        for source in done.vanished:
            marker.marker_path(store, source).unlink()
        done.forgotten, done.vanished = done.vanished, []
    return done


def _readable(store: Store) -> list[Marker]:
    found = [marker.parse(path, path.read_bytes()) for path in sorted(store.path("commits").glob("*.json"))]
    return sorted(found, key=lambda one: one.source)


def _one(engine: Engine, store: Store, path: Path, request: Request, *, before: Marker | None, done: Ingested) -> None:
    seen = path.stat()
    reading = {"log_format": request.log_format, "mapped": dict(request.mapped), "profile": _profile(request)}
    is_whole = before is not None and not before.damage(store) and dict(before.reading) == reading
    if before is not None and is_whole and (before.size, before.mtime_ns) == (seen.st_size, seen.st_mtime_ns):
        done.unchanged.append(str(path))
        return
    content = sha256_of(path)
    if before is not None and is_whole and before.content_hash == content:
        marker.write(store, Marker(**{**vars(before), "size": seen.st_size, "mtime_ns": seen.st_mtime_ns}))
        done.unchanged.append(str(path))
        return
    found = _part(
        engine,
        store,
        path,
        request,
        {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns, "content_hash": content, "reading": reading},
    )
    if found is None:
        done.unchanged.append(str(path))  # empty: nothing to keep yet
        return
    now = path.stat()
    if now.st_size < seen.st_size or (now.st_size == seen.st_size and now.st_mtime_ns != seen.st_mtime_ns):
        what = f"cut from {seen.st_size} to {now.st_size} bytes" if now.st_size < seen.st_size else "rewritten"
        raise InputError(
            f"{what} while it was read",
            where=str(path),
            fix="It was left as it was committed before; ingest it again when it is whole",
        )
    marker.write(store, found)
    (done.new if before is None else done.changed).append(str(path))
    done.n_events, done.n_rejects = done.n_events + found.n_events, done.n_rejects + found.n_rejects


def _profile(request: Request) -> str | None:
    return None if request.profile is None else sha256_of(Path(request.profile))


def _part(engine: Engine, store: Store, path: Path, request: Request, known: Mapping[str, Any]) -> Marker | None:
    """Normalise one file and write its part; None for an empty file. Nothing counts before the marker does."""
    if not known["size"]:
        return None
    read = read_logs(engine, [str(path)], log_format=request.log_format, mapped=request.mapped, profile=request.profile)
    accept(engine, read, request)
    stem = marker.slug(str(path))
    columns = ", ".join(map(identifier, engine.columns("contract.events")))
    events = _write(
        engine, store, "events", stem, f"select {columns}, {DAY} as day_utc from normalised where reject_reason is null"
    )
    rejects = None
    n_rejects = int(engine.run("select count(*) from normalised where reject_reason is not null")[0][0]) if _may_reject(read) else 0
    if n_rejects:
        rejects = _write(
            engine,
            store,
            "rejects",
            stem,
            "select source, source_line, reject_reason as reason, left(excerpt, 200) as excerpt from normalised where reject_reason is not null",
        )
    facts = engine.rows(FACTS.format(file=quoted(str(store.path(events)))), what=f"reading {events}")[0]
    return Marker(
        source=str(path),
        **known,
        log_format=next(iter(read.formats)),
        events=events,
        rejects=rejects,
        files={name: _sheet(store, name) for name in (events, rejects) if name},
        n_rejects=n_rejects,
        has_ids=read.has_ids,
        names=dict(sorted(read.names.items())),
        attributes=tuple(sorted(read.attributes)),
        **facts,
    )


def _may_reject(read: Logs) -> bool:
    return read.facts is None or bool(read.facts["n_problems"] or read.facts["n_missing_ids"])


FACTS = """select sum(n)::bigint as n_events, map_from_entries(list({{'key': day, 'value': n}} order by day)) as days,
        strftime(min(first_at), '%Y-%m-%dT%H:%M:%S.%fZ') as first_at, strftime(max(last_at), '%Y-%m-%dT%H:%M:%S.%fZ') as last_at
    from (select utc_day("timestamp") as day, count(*) as n, min("timestamp") as first_at, max("timestamp") as last_at
        from read_parquet({file}) group by day)"""


def _write(engine: Engine, store: Store, folder: str, stem: str, select: str) -> str:
    """A relation as a Parquet file of the store, whole and on the disk; returns its name."""
    name = part_name(folder, stem)
    temporary = temporary_of(store.path(name))
    try:
        engine.run(f"copy ({select}) to {quoted(str(temporary))} (format parquet, compression zstd)", what=f"writing {name}")
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    settle(temporary, store.path(name))
    return name


def _sheet(store: Store, name: str) -> dict[str, Any]:
    return {"sha256": sha256_of(store.path(name)), "size": store.path(name).stat().st_size}


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes.

    Raises:
        InputError: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror})", where=str(path), fix="Check that the file is there and may be read"
        ) from error
    return digest.hexdigest()
