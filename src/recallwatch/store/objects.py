"""A store's files on object storage, by fsspec: objects are written atomically, and a listing shows every earlier write."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..base.errors import InputError, RecallwatchError, UsageError
from ..base.held import Scratch

Listing = dict[str, dict[str, Any]]  # name -> what the service says of it

_read: dict[str, dict[str, tuple[str, bytes]]] = {}  # folder -> name -> (what the service said of it, its bytes)


def contents(folder: Path, suffix: str) -> dict[str, bytes]:
    """The bytes of all objects of a folder at one moment, by name.

    Objects that are listed unchanged are not read again: a run reads the markers several times.

    Raises:
        InputError: the service cannot be reached, or refuses.
    """
    known = _read.get(str(folder), {})
    with reading(folder):
        before = _tags(folder, suffix)
        while True:
            known = {name: entry for name, entry in known.items() if before.get(name) == entry[0]}
            fetched = _bytes_of(folder, [name for name in before if name not in known])
            now = _tags(folder, suffix)
            known |= {name: (before[name], data) for name, data in fetched.items() if now.get(name) == before[name]}
            if now == before and len(known) == len(now):
                _read[str(folder)] = known
                return {name: known[name][1] for name in sorted(known)}
            before = now


def sizes(folder: Path, names: Iterable[str]) -> dict[str, int]:
    """Bytes of those of the named objects (``folder/name``) that are there, by one listing a folder."""
    wanted = list(names)
    with reading(folder):
        listings = {part: _listing(folder / part) for part in {name.rpartition("/")[0] for name in wanted}}
    entries = {name: listings[name.rpartition("/")[0]].get(name.rpartition("/")[2]) for name in wanted}
    return {name: int(entry["size"]) for name, entry in entries.items() if entry is not None}


def upload(temporary: Path, path: Any) -> None:
    """A file of this machine becomes an object, in one step; the file goes.

    Raises:
        UsageError: the service cannot be reached, or refuses.
    """
    try:
        path.fs.put_file(str(temporary), path.path)
    except Exception as error:  # each service's library raises its own
        fix = "Check the address and the credentials; what was committed stays"
        raise UsageError(f"cannot be written ({error})", where=str(path), fix=fix) from error
    finally:
        temporary.unlink(missing_ok=True)


def fetch(path: Any, folder: Path) -> Path:
    """A copy of an object, of one moment, in a folder of this machine."""
    target = folder / str(path.name)
    with reading(path):
        path.fs.get_file(path.path, str(target))
    return target


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn whatever a service's library raises into an error that names the address."""
    try:
        yield
    except RecallwatchError:
        raise
    except Exception as error:
        raise InputError(f"cannot be read ({error})", where=str(path), fix="Check the address and the credentials") from error


def workplace() -> Path:
    """A folder of this machine for what will be uploaded; it goes with the process."""
    return _workplace(os.getpid())


@functools.cache
def _workplace(pid: int) -> Path:  # noqa: ARG001  # a forked process has one of its own
    return Scratch().folder


def _listing(folder: Any) -> Listing:
    """The objects right in a folder; there is none = no object."""
    start = folder.path.rstrip("/") + "/"
    entries = {}
    with suppress(FileNotFoundError):
        for path, entry in folder.fs.find(folder.path, detail=True).items():
            name = path.rpartition(start)[2] if start in path else ""
            if name and "/" not in name:
                entries[name] = entry
    return entries


def _tags(folder: Path, suffix: str) -> dict[str, str]:
    """What distinguishes versions of an object, by name."""
    return {name: str(sorted(entry.items(), key=str)) for name, entry in _listing(folder).items() if name.endswith(suffix)}


def _bytes_of(folder: Any, names: list[str]) -> dict[str, bytes]:
    """Several objects at once; one that is gone meanwhile is left out."""
    if not names:
        return {}
    paths = {(folder / name).path: name for name in names}
    replies = folder.fs.cat(list(paths), on_error="return")
    for data in replies.values():
        if isinstance(data, Exception) and not isinstance(data, FileNotFoundError):
            raise data
    return {paths[path]: data for path, data in replies.items() if isinstance(data, bytes)}
