"""One writer at a time; readers take no lock and never wait."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from ..base.errors import UsageError
from ..base.files import cannot_write, sweep
from ..base.held import UNFOLLOWED, hold, is_still
from .layout import FOLDERS, KEPT, Store


@contextlib.contextmanager
def writing(store: Store) -> Iterator[None]:
    """Hold the store's lock: one of the operating system's, which ends with its holder however that ends, on whichever host it was.

    The file says who holds it; what a dead holder left in it means nothing. On object storage it is a lease (lease.py).

    Raises:
        UsageError: another process writes to the store (names its pid and host), or the folder is not writable.
    """
    if store.is_remote:
        from .lease import leased

        with leased(store):
            yield
        return
    path = store.path("writer.lock")
    handle = _locked(path)
    try:
        with contextlib.suppress(OSError):  # a full disk: the lock holds all the same
            os.truncate(handle, 0)
            os.write(handle, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode())
        for folder in (store.folder, *map(store.path, FOLDERS)):
            sweep(folder)
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # while it is held: whoever opened it meanwhile sees that it is gone
        os.close(handle)


def confirm(store: Store) -> None:
    """Before a commit: refuse where a lease may have passed to another writer. A lock file cannot while its owner lives.

    Raises:
        UsageError: another writer has it.
    """
    if store.is_remote:
        from .lease import confirm as confirm_lease

        confirm_lease(store)


_reads_only: ContextVar[bool] = ContextVar("reads_only", default=False)


@contextlib.contextmanager
def reading_only() -> Iterator[None]:
    """Inside, :func:`writing_if_free` never takes the lock: whoever only looks leaves no sums, labels or database behind."""
    before = _reads_only.set(True)
    try:
        yield
    finally:
        _reads_only.reset(before)


@contextlib.contextmanager
def writing_if_free(store: Store, *, must: bool = False) -> Iterator[bool]:
    """The lock, or False where another has it or the folder is read-only; with ``must`` that is the error it is in :func:`writing`."""
    if _reads_only.get() and not must:
        yield False
        return
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(writing(store))
            is_writer = True
        except UsageError:
            if must:
                raise
            is_writer = False
        yield is_writer


def _locked(path: Path) -> int:
    """The lock file, open and held."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | UNFOLLOWED, 0o666)
            with contextlib.ExitStack() as unless_held:
                unless_held.callback(os.close, handle)
                hold(handle)
                if is_still(handle, path):
                    unless_held.pop_all()
                    return handle
        except BlockingIOError:
            raise UsageError(f"{_holder(path)} is writing", where=str(path), fix="Wait for it to end, or stop it") from None
        except OSError as error:
            raise cannot_write(path, error, kept=KEPT) from error


def _holder(path: Path) -> str:
    """Who says that he holds it."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        owner = json.loads(path.read_text(encoding="utf-8"))
        elsewhere = "" if owner["host"] == socket.gethostname() else f" on host {owner['host']}"
        return f"process {int(owner['pid'])}{elsewhere}"
    return "another process"
