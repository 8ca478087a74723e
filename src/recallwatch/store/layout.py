"""Layout of the store's folder: names of its files, atomic writes, format version."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError, UsageError
from ..base.files import cannot_write, written
from ..base.remote import SERVER, is_remote, path_of, reach
from ..base.version import __version__
from . import objects

if TYPE_CHECKING:
    from ..base.engine import Engine

FORMAT = 1  # of the folder; a store with a larger number is refused, never guessed at
FOLDERS = ("events", "rejects", "carried", "aggregates", "commits", "labels", "runs")
ACCEPTED = "accepted.json"  # windows accepted into the reference (monitor/); may be there before anything else
KEPT = "what was committed stays"


@dataclass(frozen=True)
class Store:
    """A store's folder and the names in it: of this machine, or a prefix of an object storage that reads the same way.

    What differs between the two is in this class, the functions below it, lock.py and objects.py only.

    Args:
        folder: absolute path, or an address such as ``s3://bucket/store``.
    """

    folder: Path

    @property
    def is_remote(self) -> bool:
        """Whether it is on object storage."""
        return is_remote(self.folder)

    def path(self, name: str) -> Path:
        """A file named relative to the store, e.g. ``events/night-1f.parquet``."""
        return self.folder / name

    def contents(self, folder: str, suffix: str) -> dict[str, bytes]:
        """The bytes of all files of a folder at one moment, by name: the same for every reader, whatever a writer does meanwhile.

        A folder is not listed in one instant, so it is read until two readings agree.
        """
        if self.is_remote:
            return objects.contents(self.path(folder), suffix)
        before: dict[str, bytes] | None = None
        while True:
            now: dict[str, bytes] = {}
            for path in sorted(self.path(folder).glob(f"*{suffix}")):
                with suppress(FileNotFoundError):  # removed in between: the next reading says so
                    now[path.name] = path.read_bytes()
            if now == before:
                return now
            before = now

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """Bytes of those of the named files that are there."""
        if self.is_remote:
            return objects.sizes(self.folder, names)
        n_bytes = {}
        for name in names:
            with suppress(FileNotFoundError):
                n_bytes[name] = self.path(name).stat().st_size
        return n_bytes

    def reach(self, engine: Engine, paths: Iterable[str] = ()) -> None:
        """Let DuckDB read the store's files; those named never change, and are about to be read."""
        if self.is_remote:
            reach(engine, [self.folder])
            with objects.reading(self.folder):
                reach(engine, paths, is_reused=True)

    def here(self, path: Path, folder: Path) -> Path:
        """A file of the store on this machine: the file itself, or a complete local copy."""
        return objects.fetch(path, folder) if self.is_remote else path

    @property
    def database(self) -> Path:
        """The DuckDB file of views and macros."""
        return self.folder / "recall.duckdb"

    @property
    def sheet(self) -> Path:
        """The file that makes a folder a store: its format version."""
        return self.folder / "store.json"


def open_store(folder: str | os.PathLike[str], *, create: bool = False) -> Store:
    """The store in a folder; created on request.

    Raises:
        InputError: no store there, or one of a newer format (exit 3).
        UsageError: it cannot be made there.
    """
    store = Store(_place(folder))
    if is_store(folder):
        _check(store)
        return store
    if not create:
        raise InputError("no store there (no store.json)", where=str(folder), fix="Make one: recallwatch ingest LOGS… --store DIR")
    _refuse_place(store)
    try:
        for name in FOLDERS if not store.is_remote else ():  # object storage has no folders
            store.path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(store.folder, error, kept=KEPT) from error
    write_json(store.sheet, {"format": FORMAT, "made_by": f"recallwatch {__version__}"})
    return store


def _refuse_place(store: Store) -> None:
    """A folder that holds something else, or whose name DuckDB cannot keep a database under.

    What a run left behind that was killed while it made the store is no reason: the store is made again.
    """
    if "?" in str(store.folder):
        what = "the path has a question mark, which DuckDB reads as the start of options"
        raise UsageError(what, where=str(store.folder), fix="Name another folder")
    names = [entry.name for entry in store.folder.iterdir()] if store.folder.is_dir() else []
    others = [name for name in names if name not in (*FOLDERS, ACCEPTED) and not name.startswith((".", f"{store.sheet.name}."))]
    if others:
        raise UsageError("the folder is not empty and holds no store", where=str(store.folder), fix="Name a new folder")


def is_store(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a store, detected from its content.

    Raises:
        InputError: an address that cannot be reached.
    """
    if SERVER.fullmatch(str(folder)):
        return False
    sheet = Store(_place(folder)).sheet
    if not is_remote(folder):
        return sheet.is_file()
    try:
        return sheet.exists()
    except Exception as error:  # each service's library raises its own
        raise InputError(f"cannot be reached ({error})", where=str(folder), fix="Check the address and the credentials") from error


def _place(folder: str | os.PathLike[str]) -> Path:
    """The absolute path; an address without cached listings."""
    return path_of(str(folder).rstrip("/"), is_fresh=True) if is_remote(folder) else Path(folder).expanduser().resolve()


def _check(store: Store) -> None:
    seen = read_json(store.sheet)
    number = seen.get("format") if isinstance(seen, dict) else None
    if not isinstance(number, int) or number < 1:
        fix = "Restore it from a backup, or ingest into a new folder"
        raise InputError(f"not a store's sheet (format {number!r})", where=str(store.sheet), fix=fix)
    if number > FORMAT:
        raise InputError(
            f"the store has format {number} (made by {seen.get('made_by', 'a newer version')}), this version reads up to {FORMAT}",
            where=str(store.folder),
            fix="Upgrade recallwatch, or ingest the logs into a new folder",
        )


def read_json(path: Path) -> Any:
    """A JSON file of the store.

    Raises:
        InputError: not readable, not JSON.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror or error})", where=str(path), fix="Check the file's permissions"
        ) from error
    return json_of(path, data)


def json_of(path: Path, data: bytes) -> Any:
    """The JSON that stood in a file of the store.

    Raises:
        InputError: not JSON.
    """
    try:
        return json.loads(data)
    except ValueError as error:
        raise InputError(
            f"not JSON ({error})", where=str(path), fix="Restore it from a backup, or remove it and ingest its source again"
        ) from error


def write_json(path: Path, value: Any) -> None:
    """JSON, written atomically: stable key order, one trailing newline."""
    with stored(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@contextmanager
def stored(path: Path) -> Iterator[Path]:
    """A file to write into; its bytes go to the disk, then it takes its name: after a crash it is complete or absent.

    On object storage one PUT does all of this.

    Raises:
        UsageError: it cannot be written.
    """
    if not is_remote(path):
        with written(path, is_lasting=True, kept=KEPT) as temporary:
            yield temporary
        return
    temporary = objects.workplace() / f"{uuid.uuid4().hex[:12]}-{path.name}.tmp"
    try:
        yield temporary
        objects.upload(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def part_name(folder: str, stem: str) -> str:
    """A name nobody had before: ``<folder>/<stem>-<uuid>.parquet``."""
    return f"{folder}/{stem}-{uuid.uuid4().hex[:12]}.parquet"
