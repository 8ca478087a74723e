"""Log files to committed parts of a store: only what is new or changed is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.engine import Engine, identifier, quoted, quoted_paths
from ..base.errors import InputError, UsageError
from ..base.files import sha256_of
from ..base.options import Reading
from ..base.remote import path_of
from ..document.model import Document
from ..document.numbers import plural
from ..document.result import Result
from ..read import read_logs
from ..read.lines import OTHER
from ..read.log_format import EmptyLogsError
from ..read.log_labels import EACH_ONCE, take_own_labels
from ..read.paths import PARQUET
from ..scoring.acceptance import RejectsError, accept
from ..scoring.plan import paths_of
from . import marker
from .erased import kept_condition
from .layout import Store, part_name, stored
from .marker import Marker

DAY = (
    """("timestamp" at time zone 'UTC')::date"""  # stored beside the contract's columns: statistics of it find a day without a scan
)


@dataclass
class Ingested(Result):
    """What one ingest did, by source.

    Args:
        new, changed, unchanged: absolute paths.
        empty: files without a line; what one held when it was read before stays.
        vanished: committed sources whose file is gone; they stay in the store.
        forgotten: those of them that were removed.
        failed: source -> why; the part it had before stays.
        left: source -> recalls that it held when it was read before and holds no longer (a log rotated under one name).
        without_recalls: trace files that were read and hold no retrieval.
        n_events, n_rejects: rows read.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    without_recalls: list[str] = field(default_factory=list)
    n_events: int = 0
    n_rejects: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For the run's record and for ``-f json``."""
        return dict(vars(self))

    def document(self) -> Document:
        """How many sources of each kind there were."""
        counts = {name: len(getattr(self, name)) for name in ("new", "changed", "unchanged", "empty", "vanished", "forgotten")}
        parts = [f"{n:,} {name}" for name, n in counts.items() if n or name in ("new", "unchanged")]
        rows = f"{plural(self.n_events, 'event')} and {plural(self.n_rejects, 'reject')} read"
        return Document(f"{', '.join(parts)} · {rows}", notes=self.notes)

    @property
    def departures(self) -> list[str]:
        """What left the store with the old content of a file, a sentence a source."""
        return [
            f"{source} no longer holds {plural(n, 'recall')} that it held when it was last read: they are not counted any more"
            for source, n in self.left.items()
        ]

    @property
    def notes(self) -> list[str]:
        """What a reader should know beside the counts."""
        empty = f"{plural(len(self.without_recalls), 'trace file')} without a retrieval: {', '.join(self.without_recalls[:3])}"
        return [*self.departures, *([empty] if self.without_recalls else [])]


@dataclass(frozen=True)
class Known:
    """What a store holds of a source.

    Args:
        marker: its commit; None = never committed, or its marker is broken.
        is_whole: whether the files it names are there.
    """

    marker: Marker | None = None
    is_whole: bool = False


@dataclass(frozen=True)
class Outcome:
    """One source looked at, and not committed yet.

    Args:
        source: absolute path or address.
        marker: what to commit; None = nothing has changed.
        is_read: whether its rows were read anew; False = only the file's time is another one.
        is_over: whether it has more bad lines than agreed, seen alone.
        is_empty: whether there is no line in it.
    """

    source: str
    marker: Marker | None = None
    is_read: bool = False
    is_over: bool = False
    is_empty: bool = False


def paths_to_keep(logs: Any) -> list[str]:
    """The paths a caller gave; data are refused."""
    paths = paths_of(logs)
    if paths is None:
        raise UsageError("a store keeps files", where="logs", fix="Name paths, or evaluate without a store")
    return paths


def failure_of(source: str, error: InputError | FileNotFoundError) -> str:
    """Why a source could not be read."""
    return str(error) if isinstance(error, InputError) else f"{source}: deleted while it was read"


def known_sources(store: Store) -> dict[str, Known]:
    """What is committed, by source."""
    markers = marker.by_source(store)
    sizes = marker.sizes(store, markers.values())
    return {source: Known(one, not one.damage(sizes)) for source, one in markers.items()}


def see_vanished(store: Store, done: Ingested, *, forget: bool) -> None:
    """Note the committed sources whose file is gone; with ``forget`` remove them."""
    done.vanished = [one.source for one in marker.snapshot(store) if not path_of(one.source).exists()]
    if forget:
        for source in done.vanished:
            marker.marker_path(store, source).unlink()
        done.forgotten, done.vanished = done.vanished, []


def look_at(engine: Engine, store: Store, source: str, reading: Reading, known: Known) -> Outcome:
    """Read a source where it is new or has changed, and write its part; nothing counts before it is committed (batch.py).

    Raises:
        InputError: it cannot be read, or changed meanwhile.
        FileNotFoundError: it was deleted meanwhile.
    """
    path, before = path_of(source), known.marker
    seen, read_by = path.stat(), _reading(reading)
    is_same = before is not None and known.is_whole and dict(before.reading) == read_by
    if before is not None and is_same and (before.size, before.mtime_ns) == (seen.st_size, seen.st_mtime_ns):
        return Outcome(source)
    content = sha256_of(path)
    times = {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns}
    if before is not None and is_same and before.content_hash == content:
        return Outcome(source, Marker(**{**vars(before), **times}))
    part, is_over = _part(engine, store, path, reading, {**times, "content_hash": content, "reading": read_by})
    if part is None:
        return Outcome(source, is_empty=True)  # nothing to keep yet
    now = path.stat()
    if now.st_size < seen.st_size or (now.st_size == seen.st_size and now.st_mtime_ns != seen.st_mtime_ns):
        what = f"cut from {seen.st_size} to {now.st_size} bytes" if now.st_size < seen.st_size else "rewritten"
        fix = "It was left as it was committed before; ingest it again when it is whole"
        raise InputError(f"{what} while it was read", where=source, fix=fix)
    return Outcome(source, part, is_read=True, is_over=is_over)


def is_untouched(source: str, reading: Reading, known: Known) -> bool:
    """Whether the size and time of a source, and how it is read, are those it was committed with; False = it must be looked at."""
    before = known.marker
    if before is None or not known.is_whole or dict(before.reading) != _reading(reading):
        return False
    try:
        seen = path_of(source).stat()
    except FileNotFoundError:
        return False
    return (before.size, before.mtime_ns) == (seen.st_size, seen.st_mtime_ns)


def _reading(reading: Reading) -> dict[str, Any]:
    """What a source is read with."""
    profile = None if reading.profile is None else sha256_of(Path(reading.profile))
    return {"log_format": reading.log_format, "mapped": dict(reading.mapped), "profile": profile}


def _part(engine: Engine, store: Store, path: Path, reading: Reading, known: Mapping[str, Any]) -> tuple[Marker | None, bool]:
    """Normalise one file and write its part; None for an empty file. And whether it has too many bad lines, seen alone."""
    if not known["size"] and path.suffix not in PARQUET:  # a log that nothing was written to yet; a table never is
        return None, False
    try:
        read = read_logs(
            engine, [str(path)], log_format=reading.log_format, mapped=reading.mapped, profile=reading.profile, empty_ok=True
        )  # a trace without a retrieval: the others of the night count
    except EmptyLogsError:  # an hour without traffic, compressed
        return None, False
    is_over = False
    try:
        accept(engine, read, reading, empty_ok=True)
    except RejectsError:
        is_over = True
    stem = marker.slug(str(path))
    columns = ", ".join(map(identifier, engine.columns("contract.events")))
    select = f"select {columns}, {DAY} as day_utc from normalised where reject_reason is null and {kept_condition(store)}"
    with written_part(engine, store, "events", stem, select) as (events, file, sheet):
        facts = engine.rows(FACTS.format(file=quoted_paths(file)), what=f"reading {events}")[0]
    files, rejects = {events: sheet}, None
    may_reject = read.facts is None or read.facts["n_problems"] or read.facts["n_maybe_without_list"]
    n_rejects, has_rejects = 0, False
    if may_reject:
        counted = f"count(*) filter (reject_reason <> {quoted(OTHER)}), count(*) > 0"
        n_rejects, has_rejects = engine.run(f"select {counted} from normalised where reject_reason is not null")[0]
    if has_rejects:
        with written_part(engine, store, "rejects", stem, REJECTED) as (rejects, _, sheet):
            files[rejects] = sheet
    labels, label_fault = None, ""
    try:
        if take_own_labels(engine, [str(path)], read, reading.mapped):
            with written_part(engine, store, "carried", stem, EACH_ONCE) as (labels, _, sheet):
                files[labels] = sheet
    except InputError as error:
        label_fault = str(error)
    part = Marker(
        source=str(path),
        labels=labels,
        label_fault=label_fault,
        **known,
        log_format=next(iter(read.formats)),
        events=events,
        rejects=rejects,
        files=files,
        n_rejects=int(n_rejects),
        has_ids=read.has_ids,
        names=dict(sorted(read.names.items())),
        attributes=tuple(sorted(read.attributes)),
        **facts,
    )
    return part, is_over


FACTS = """select coalesce(sum(n), 0)::bigint as n_events, coalesce(map_from_entries(list({{'key': day, 'value': n}} order by day)), map {{}}) as days,
        strftime(min(first_at), '%Y-%m-%dT%H:%M:%S.%fZ') as first_at, strftime(max(last_at), '%Y-%m-%dT%H:%M:%S.%fZ') as last_at
    from (select utc_day("timestamp") as day, count(*) as n, min("timestamp") as first_at, max("timestamp") as last_at
        from read_parquet({file}) group by day)"""


REJECTED = """select source, source_line, reject_reason as reason, left(excerpt, 200) as excerpt
    from normalised where reject_reason is not null"""


@contextlib.contextmanager
def written_part(engine: Engine, store: Store, folder: str, stem: str, select: str) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Write a relation as a Parquet file of the store, synced to disk; its name, the temporary file if not yet renamed, hash and size."""
    name = part_name(folder, stem)
    if not store.is_remote:
        store.path(folder).mkdir(exist_ok=True)  # a store of an older version has fewer folders
    with stored(store.path(name)) as temporary:
        engine.write(select, temporary, what=f"writing {name}")
        yield name, temporary, {"sha256": sha256_of(temporary), "size": temporary.stat().st_size}
