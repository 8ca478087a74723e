"""Narration on stderr: a progress bar for anything over two seconds on a terminal, nothing when piped."""

from __future__ import annotations

import sys
import threading
from types import TracebackType

from .errors import printable
from .tracing import Worker

PATIENCE = 2.0  # s without a word
REFRESH = 0.2  # s


def tell(line: str) -> None:
    """A line on stderr, where narration goes."""
    sys.stderr.write(f"recallwatch: {printable(line)}\n")


class Progress:
    """Shows the running step and how far its query is; silent for short work and for pipes."""

    def __init__(self) -> None:
        self._step, self._worker = "start", None  # type: tuple[str, Worker | None]
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def step(self, name: str, worker: Worker) -> None:
        """A step begins."""
        self._step, self._worker = name, worker

    def _show(self) -> None:
        if self._ended.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        share, left = TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn(compact=True)
        columns = (TextColumn("{task.description}"), BarColumn(), share, TimeElapsedColumn(), TextColumn("left"), left)
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self._step, total=100)
            while not self._ended.wait(REFRESH):
                done = self._worker.progress() if self._worker else -1.0
                bar.update(task, description=self._step, total=100 if done >= 0 else None, completed=max(done, 0))
