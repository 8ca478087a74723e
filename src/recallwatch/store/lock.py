"""One writer at a time; readers take no lock and never wait."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator

from ..base.errors import UsageError
from .layout import Store, cannot_write
from .process import start_of


@contextlib.contextmanager
def writing(store: Store) -> Iterator[None]:
    """Hold the store's lock: a file with the owner's pid and host. The lock of a dead process is replaced.

    On object storage it is a lease (lease.py).

    Raises:
        UsageError: another process writes to the store (names its pid and host), or the folder is not writable.
    """
    if store.is_remote:
        from .lease import leased

        with leased(store):
            yield
        return
    path = store.path("writer.lock")
    mine = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": start_of(os.getpid())})
    _take(store, mine)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_text(encoding="utf-8") == mine:
                path.unlink()


def confirm(store: Store) -> None:
    """Before a commit: refuse where a lease may have passed to another writer. A lock file cannot while its owner lives.

    Raises:
        UsageError: another writer has it.
    """
    if store.is_remote:
        from .lease import confirm as confirm_lease

        confirm_lease(store)


@contextlib.contextmanager
def writing_if_free(store: Store, *, must: bool = False) -> Iterator[bool]:
    """The lock, or False where another has it or the folder is read-only; with ``must`` that is the error it is in :func:`writing`."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(writing(store))
            is_writer = True
        except UsageError:
            if must:
                raise
            is_writer = False
        yield is_writer


def _take(store: Store, mine: str) -> None:
    path, own = store.path("writer.lock"), store.path(f"writer.lock.{os.getpid()}.tmp")
    try:
        own.write_text(mine, encoding="utf-8")
        for _attempt in range(3):
            try:
                os.link(own, path)  # atomic, and never over another process's lock
            except FileExistsError:
                _remove_stale(store)
                continue
            return
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        own.unlink(missing_ok=True)
    raise UsageError("another writer takes the lock again and again", where=str(path), fix="Wait for it to end")


def _remove_stale(store: Store) -> None:
    """Remove the lock of a process that is gone; refuse where its owner lives, or may live on another host."""
    path = store.path("writer.lock")
    try:
        seen = path.read_text(encoding="utf-8")
        owner = json.loads(seen)
        pid, host, started = int(owner["pid"]), str(owner["host"]), owner["started"]
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        pid, host, started, seen = 0, socket.gethostname(), None, ""
    if host != socket.gethostname():
        raise UsageError(
            f"process {pid} on host {host} is writing", where=str(path), fix="Wait for it; if that host is gone, remove the file"
        )
    if pid and start_of(pid) == started and started is not None:
        raise UsageError(f"process {pid} is writing", where=str(path), fix="Wait for it to end, or stop it")
    aside = store.path(f"writer.lock.stale.{os.getpid()}.tmp")
    with contextlib.suppress(FileNotFoundError):
        path.rename(aside)  # two that find the same stale lock: one renames, the other finds nothing
        if seen and aside.read_text(encoding="utf-8") != seen:  # a new writer's lock, moved by mistake: put it back
            with contextlib.suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink(missing_ok=True)
