"""The recorder's own file: a bounded queue, a thread that writes JSON lines, files that are renamed when complete.

A file is ``<name>.jsonl.open`` while it is written and ``<name>.jsonl`` once it is closed. Both are logs: a process that
was killed leaves an ``.open`` file whose last line may be cut, which readers count as an incomplete tail. With
``format="parquet"`` the lines are a journal: a closed file becomes ``<name>.parquet``, and stays lines where it cannot.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import logging
import math
import os
import threading
import time
from pathlib import Path
from typing import Any

from ..base.files import sync
from . import columnar
from .folder import OPEN, claim, closed_name, finish

CLOSING = 60  # s a closing recorder waits for its Parquet file before it leaves the lines as they are
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LOG = logging.getLogger("recallwatch.record")


class Writer:
    """Takes events from any thread, and never makes one wait for the disk.

    Args:
        folder: where files go; made if it is not there.
        queue_size: events that may wait; one more is dropped and counted.
        flush_seconds: how long an event may wait before it is handed to the operating system.
        rotate_bytes, rotate_seconds: size and age at which a file is closed.
        fsync: never, rotate (when a file is closed) or always (at each flush): what a power cut may cost.
        format: jsonl or parquet.
    """

    def __init__(
        self,
        folder: Path,
        *,
        queue_size: int,
        flush_seconds: float,
        rotate_bytes: int,
        rotate_seconds: float,
        fsync: str,
        format: str = "jsonl",
    ) -> None:
        self.folder, self.queue_size, self.flush_seconds = folder, queue_size, flush_seconds
        self.rotate_bytes, self.rotate_seconds, self.fsync = rotate_bytes, rotate_seconds, fsync
        self.is_columnar = format == "parquet"
        if self.is_columnar:
            import concurrent.futures.thread  # noqa: F401 -- pyarrow wants it, and it cannot be loaded once a process ends
        self.written = self.dropped = 0
        self._files, self._warned = 0, -math.inf
        self._reset()
        _LIVE.add(self)

    def _reset(self) -> None:
        """The state of a process that has written nothing: at the start, and in the child of a fork."""
        self._lock, self._io, self._wake = (
            threading.RLock(),
            threading.Lock(),
            threading.Event(),
        )  # a signal's handler may record too
        self._queue: list[dict[str, Any]] = []
        self._thread: threading.Thread | None = None
        self._file: int | None = None
        self._journals: list[tuple[Path, int]] = []  # closed, on their way to Parquet
        self._path = Path()
        self._size, self._opened = 0, 0.0
        self._told_drops = self.dropped
        self._closed = False

    def put(self, event: dict[str, Any]) -> bool:
        """Queue an event; False = the queue is full (or closed) and the event is dropped."""
        with self._lock:
            n = len(self._queue)
            if n >= self.queue_size or self._closed:
                self.dropped += 1
                return False
            self._queue.append(event)
            if self._thread is None:
                self._start()
        if n == self.queue_size // 2:
            self._wake.set()
        return True

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._run, args=(self._wake,), name="recallwatch-record", daemon=True)
        self._thread.start()

    def _run(self, wake: threading.Event) -> None:
        """Flush until the writer is closed; Parquet is made here and nowhere else, so that no host waits for it."""
        self.flush()
        if self.is_columnar:
            self._prepare()
        while not self._closed:
            self.flush()
            self._to_columns()
            wake.wait(self.flush_seconds)
            wake.clear()
        if self.is_columnar:
            self._end()
            self._to_columns()

    def _prepare(self) -> None:
        try:
            columnar.prepare()
        except ImportError as error:
            self.is_columnar = False
            self._warn("%s: recalls stay JSON lines (%s)", self.folder, error)

    def flush(self) -> None:
        """Hand everything queued so far to the operating system; what cannot be written is dropped and counted."""
        with self._io:
            with self._lock:
                batch, self._queue = self._queue, []
            try:
                if batch:
                    self._write(batch)
                if self._is_due():
                    self._rotate()
            except Exception as error:
                self._warn("%s: recalls are not written (%s)", self.folder, error)

    def _is_due(self) -> bool:
        """Whether the file is to be closed now; Parquet is made by the writer's thread alone."""
        if self._file is None or (self.is_columnar and threading.current_thread() is not self._thread):
            return False
        return self._size >= self.rotate_bytes or time.monotonic() - self._opened >= self.rotate_seconds

    def _warn(self, text: str, *values: object) -> None:
        """Tell the log, at most once a minute: a full disk lasts."""
        if time.monotonic() - self._warned >= 60:
            self._warned = time.monotonic()
            LOG.warning(text, *values)

    def _write(self, batch: list[dict[str, Any]]) -> None:
        lines = self._lines(batch)
        try:
            if self._file is None:
                self._open()
            self._append(b"".join(lines))
        except OSError:
            with self._lock:
                self.dropped += len(lines)
            raise
        self.written += len(lines)

    def _lines(self, batch: list[dict[str, Any]]) -> list[bytes]:
        """The batch as lines; the first after a loss has the number lost so far."""
        lost = self.dropped
        if lost > self._told_drops:
            batch[0]["attributes"] = {**batch[0].get("attributes", {}), "recallwatch.dropped": str(lost)}
            self._told_drops = lost
        lines = []
        for event in batch:
            try:
                lines.append(line_of(event))
            except (TypeError, ValueError, OverflowError) as error:
                self._warn("%s: a recall cannot be written as JSON (%s)", self.folder, error)
                with self._lock:
                    self.dropped += 1
        return lines

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        finish(self.folder)
        self._files += 1
        stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S")
        name = f"recalls-{stamp}-{os.getpid()}-{os.urandom(3).hex()}-{self._files}.jsonl"
        self._path = self.folder / (name + OPEN)
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o644)
        claim(self._file)
        self._size, self._opened = 0, time.monotonic()

    def _append(self, data: bytes) -> None:
        """All of it or, on a full disk, nothing of it: a half line would spoil the next one."""
        assert self._file is not None  # noqa: S101 -- _write opened it
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
            if self.fsync == "always":
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._size)
            os.lseek(self._file, self._size, os.SEEK_SET)
            raise
        self._size += len(data)

    def _rotate(self) -> None:
        """Close the file; one that becomes Parquet stays ours, under its open name, until it is."""
        if self._file is None:
            return
        file, self._file = self._file, None
        if self.is_columnar and threading.current_thread() is self._thread:
            self._journals.append((self._path, file))
            return
        try:
            if self.fsync != "never":
                os.fsync(file)
            self._path.rename(closed_name(self._path))
            if self.fsync != "never":
                sync(self.folder)
        finally:
            os.close(file)

    def _to_columns(self) -> None:
        """Closed journals to Parquet, flushing meanwhile; where one cannot be (no space, …) it stays lines."""
        while self._journals:
            path, file = self._journals.pop(0)
            done = closed_name(path)
            try:
                columnar.to_parquet(path, done.with_suffix(columnar.PARQUET), sync=self.fsync != "never", between=self.flush)
                path.unlink()
            except Exception as error:
                self._warn("%s: stays JSON lines (%s)", done, error)
                with contextlib.suppress(OSError):
                    path.rename(done)
            finally:
                os.close(file)

    def close(self) -> None:
        """Write what is queued and close the file; events that come later are dropped and counted."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            thread = self._thread
        _LIVE.discard(self)
        self._wake.set()
        if self.is_columnar and thread is not None and thread is not threading.current_thread():
            thread.join(CLOSING)
        self._end()

    def _end(self) -> None:
        """Flush, and give the file its final name."""
        self.flush()
        with self._io:
            try:
                self._rotate()
            except OSError as error:
                LOG.warning("%s: not renamed (%s)", self._path, error)

    def forked(self) -> None:
        """In the child of a fork: the parent writes what is queued; the child begins a file and a thread of its own."""
        for file in [self._file, *(file for _, file in self._journals)]:
            if file is not None:
                os.close(file)
        self._reset()


def line_of(event: dict[str, Any]) -> bytes:
    """One JSON line; ``timestamp`` comes in as microseconds since 1970 and is written as ISO 8601 UTC."""
    at = (EPOCH + dt.timedelta(microseconds=event["timestamp"])).isoformat(timespec="microseconds").replace("+00:00", "Z")
    text = json.dumps({**event, "timestamp": at}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


_LIVE: set[Writer] = set()  # those not closed: what they hold is written at exit, whoever still knows them


def _close_all() -> None:
    for writer in list(_LIVE):
        writer.close()


def _forked_all() -> None:
    for writer in list(_LIVE):
        try:
            writer.forked()
        except OSError as error:
            LOG.warning("%s: not reopened after a fork (%s)", writer.folder, error)


def _install() -> None:
    import atexit

    atexit.register(_close_all)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked_all)


_install()
