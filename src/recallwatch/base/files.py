"""Atomic writes of files (and of objects, by one PUT). What a dead run left of one is removed by the next that writes there."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from .errors import InputError, UsageError
from .held import UNFOLLOWED, hold, is_still
from .remote import is_remote

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # fails on an existing file, also on a planted link
TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{16}\.tmp(\.wal)?", re.DOTALL)
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """An empty file beside ``path`` to write into; it takes the place of ``path`` once all is well, and vanishes otherwise.

    A device or a pipe (``/dev/stdout``) is written to as it is; through a link its target is written.

    Raises:
        UsageError: the place cannot be written.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    if not path.name:  # "", ".", "/": a folder, and nothing a file could stand beside
        raise UsageError("cannot be written (a folder)", where=str(path), fix="Name a file in it")
    target = Path(os.path.realpath(path))
    sweep(target.parent, target.name)
    with written(target) as temporary:
        yield temporary


@contextlib.contextmanager
def written(path: Path, *, is_lasting: bool = False, kept: str = "nothing was left half written") -> Iterator[Path]:
    """The same for a file that is none but a file.

    Args:
        path: where it will be. Its name until then is nobody else's, and no glob for logs takes it for one.
        is_lasting: whether its bytes and its name are on the disk afterwards, whatever happens to the machine.
        kept: for the error of a full disk: what is as it was.

    Raises:
        UsageError: the place cannot be written.
    """
    temporary, handle = path, None
    try:
        while handle is None:
            temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(8)}.tmp")
            handle = _begun(temporary)
        yield temporary
        if is_lasting:
            sync(temporary)
        temporary.replace(path)
        if is_lasting:
            sync(path.parent)
    except OSError as error:
        raise cannot_write(path, error, kept=kept) from error
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            os.close(handle)


def _begun(temporary: Path) -> int | None:
    """The new file, open and held; None = a sweep came in between, and took it for one of a dead run."""
    handle = os.open(temporary, NEW, 0o666)
    try:
        hold(handle)
        is_ours = is_still(handle, temporary)
    except BlockingIOError:
        is_ours = False
    except OSError:  # no locks here: then nobody sweeps
        is_ours = True
    if not is_ours:
        os.close(handle)
    return handle if is_ours else None


def sync(path: Path) -> None:
    """A file's bytes, or a folder's entries, to the disk."""
    if os.name == "nt" and path.is_dir():  # no folder can be opened there
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, name: str = "") -> None:
    """Remove what dead runs left half written in a folder: of one file, or of all."""
    try:
        left = [
            entry for entry in os.scandir(folder) if (match := TEMPORARY.fullmatch(entry.name)) and name[:80] in ("", match["name"])
        ]
    except OSError:
        return
    for entry in left:
        with contextlib.suppress(OSError):
            handle = os.open(entry.path, os.O_RDWR | UNFOLLOWED)
            try:
                hold(handle)
                Path(entry.path).unlink()
            finally:
                os.close(handle)


def write_whole(path: Path, data: bytes, *, parents: bool = False) -> bool:
    """Write the bytes unless the file holds them already; returns whether it was written.

    Args:
        path: a file, or the address of an object.
        data: its bytes.
        parents: whether folders on the way are made.

    Raises:
        UsageError: the place cannot be written.
    """
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        if is_remote(path):
            path.write_bytes(data)
            return True
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    with whole(path) as temporary:
        temporary.write_bytes(data)
    return True


def sha256_of(path: Path) -> str:
    """sha256 of a file's bytes.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        fix = "Check that the file is there and may be read"
        raise InputError(f"cannot be read ({error.strerror})", where=str(path), fix=fix) from error


def cannot_write(path: Path | str, error: OSError, *, kept: str = "") -> UsageError:
    """The error for a place that cannot be written; ``kept``: what is as it was."""
    fix = "Free some space" if error.errno in NO_ROOM else "Name a place that can"
    return UsageError(f"cannot be written ({error.strerror or error})", where=str(path), fix=f"{fix}{kept and '; '}{kept}")
