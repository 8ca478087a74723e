"""Whether the process that holds a lock or a lease is still there."""

from __future__ import annotations

import os
from pathlib import Path


def start_of(pid: int) -> str | None:
    """Start time of a process as the system writes it, so that a reused pid differs from the old owner; None = no such process."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    if os.name != "nt":  # there it would end the process
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except OSError:
            pass
    return "alive"
