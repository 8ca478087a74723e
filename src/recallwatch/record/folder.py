"""The recorder's folder: names of open and closed files, and the process that writes an open one."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ..base.files import sweep
from ..base.held import hold
from .columnar import PARQUET

HAS_LOCKS = os.name != "nt"  # there a lock keeps readers out: files of dead processes keep their name
OPEN = ".open"


def closed_name(path: Path) -> Path:
    """The name of a file that is not written any more."""
    return path.with_name(path.name.removesuffix(OPEN))


def claim(file: int) -> None:
    """Hold a file as ours until it is closed, or this process ends."""
    if HAS_LOCKS:
        hold(file)


def finish(folder: str | Path) -> list[Path]:
    """Give the files of processes that ended without closing them their final names, and remove what they left half written.

    Files still written are left alone.

    Returns:
        The files' new names.
    """
    done = []
    sweep(Path(folder))
    for path in sorted(Path(folder).glob(f"recalls-*.jsonl{OPEN}")):
        lines = closed_name(path)
        try:
            if not HAS_LOCKS or not _is_abandoned(path):
                continue
            if lines.with_suffix(PARQUET).exists():  # killed between the two steps: the Parquet file is complete
                path.unlink()
            else:
                done.append(path.rename(lines))
        except OSError:  # another process was quicker, or owns it
            continue
    return done


def _is_abandoned(path: Path) -> bool:
    """Whether no process holds the file's lock; one just opened may not have it yet."""
    if time.time() - path.stat().st_mtime < 2:
        return False
    file = os.open(path, os.O_RDONLY)
    try:
        hold(file)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(file)
