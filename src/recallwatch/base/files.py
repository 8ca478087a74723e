"""Atomic writes of files (and of objects, by one PUT)."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from .errors import UsageError
from .remote import is_remote

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # fails on an existing file, also on a planted link


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """An empty file beside ``path`` to write into; it takes the place of ``path`` once all is well, and vanishes otherwise.

    Its name is nobody else's, and no glob for logs takes it for one. A device or a pipe (``/dev/stdout``) is written to as it is.

    Raises:
        UsageError: the place cannot be written.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    if not path.name:  # "", ".", "/": a folder, and nothing a file could stand beside
        raise UsageError("cannot be written (a folder)", where=str(path), fix="Name a file in it")
    temporary = path.with_name(f".{path.name[:80]}.{secrets.token_hex(8)}.tmp")
    try:
        os.close(os.open(temporary, NEW, 0o666))
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


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


def cannot_write(path: Path | str, error: OSError) -> UsageError:
    """The error for a place that cannot be written."""
    return UsageError(f"cannot be written ({error.strerror or error})", where=str(path), fix="Name a place that can")
