"""A file (or an object, by one PUT) appears whole or not at all, and only where its bytes changed."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import UsageError
from .remote import is_remote


def write_whole(path: Path, data: bytes) -> bool:
    """Write the bytes; returns whether anything changed.

    Raises:
        UsageError: the folder cannot be written.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        if path.exists() and path.read_bytes() == data:
            return False
        if is_remote(path):
            path.write_bytes(data)
            return True
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        if not is_remote(path):
            temporary.unlink(missing_ok=True)
        raise UsageError(
            f"cannot be written ({error.strerror or error})", where=str(path), fix="Name a folder that can: [outputs] folder"
        ) from error
    return True
