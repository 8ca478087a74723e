"""Runs an ingest in child processes that can be killed at any moment; the imports are paid once, by forking."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CHILD = """
import os, sys
import recallwatch.evaluation.pipeline, recallwatch.store, pyarrow.parquet
from recallwatch.store import ingest
print("ready", flush=True)
for _ in sys.stdin:
    pid = os.fork()
    if pid == 0:
        try:
            ingest([sys.argv[2]], store=sys.argv[1], threads=1)
        finally:
            os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("over", flush=True)
"""


class Nursery:
    """Starts one ingest after the other, each in a process of its own.

    Args:
        store, logs: what they work on.
    """

    def __init__(self, store: Path, logs: Path) -> None:
        self._store, self._n_logs = store, len(list(logs.iterdir()))
        command = [sys.executable, "-c", CHILD, str(store), str(logs)]
        self._parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._line() == "ready"

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self._parent.stdin.close()
        self._parent.wait()
        self._parent.stdout.close()

    def _line(self) -> str:
        return self._parent.stdout.readline().strip()

    def run(self, kill_after: float | None, *, commits: int = 0) -> bool:
        """One ingest, killed so many seconds (None = never) after it committed so many more sources; returns whether it was killed at work."""
        markers = self._store / "commits"
        target = min(len(list(markers.glob("*.json"))) + commits, self._n_logs)
        self._parent.stdin.write("go\n")
        self._parent.stdin.flush()
        pid = int(self._line())
        if kill_after is not None:
            while len(list(markers.glob("*.json"))) < target and Path(f"/proc/{pid}").exists():
                time.sleep(0.002)
            time.sleep(kill_after)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                kill_after = None
        assert self._line() == "over"
        return kill_after is not None
