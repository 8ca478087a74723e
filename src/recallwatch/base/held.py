"""Locks of the operating system, which end with whoever holds them, however that ends; and temporary folders that are held by one."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

UNFOLLOWED = getattr(os, "O_NOFOLLOW", 0)  # a planted link is an error
USER = getattr(os, "getuid", lambda: None)
OWNER = "owner.lock"
SCRATCH = ("recallwatch-", "")  # what stands before and after 16 digits in a folder's name


def hold(handle: int) -> None:
    """Take the lock of an open file, until it is closed.

    Raises:
        BlockingIOError: another has it.
        OSError: the file system has no locks.
    """
    if os.name == "nt":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # there alone
        except PermissionError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_still(handle: int, path: Path) -> bool:
    """Whether the open file is the one that the path names."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


class Scratch:
    """A temporary folder. Where its run is killed, the next one removes it.

    Args:
        place: the folder it is made in; None = the one for temporary files.
        ends: its name before and after 16 digits.

    Attributes:
        folder: empty but for a file that is locked while the folder is in use, and goes last.
    """

    def __init__(self, place: Path | None = None, ends: tuple[str, str] = SCRATCH) -> None:
        if place is None:
            place = Path(_place())
            _sweep_once(place)
        atexit.register(self._end, os.getpid())  # where the run is interrupted before anybody could close it
        while not self._made(place / secrets.token_hex(8).join(ends)):
            pass

    def _made(self, folder: Path) -> bool:
        """Whether the folder is made and held; else a sweep came in between, and took it for one of a dead run."""
        folder.mkdir(mode=0o700)
        try:
            handle = os.open(folder / OWNER, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            return False
        except OSError:
            folder.rmdir()
            raise
        self.folder, self._handle = folder, handle
        try:
            hold(handle)
        except BlockingIOError:
            return False
        except OSError:  # there are no locks here, so nobody sweeps
            return True
        return is_still(handle, folder / OWNER)

    def _end(self, owner: int) -> None:
        if os.getpid() == owner and hasattr(self, "_handle"):  # a forked process has its own
            self.close()

    def close(self) -> None:
        """Remove the folder; never fails."""
        atexit.unregister(self._end)
        with contextlib.suppress(OSError):
            _remove(self.folder)
        with contextlib.suppress(OSError):
            os.close(self._handle)


def _place() -> str:
    """The folder for temporary files. Python's own choice tries each by writing a file, which a kill leaves there: only where no name is given."""
    named = tempfile.tempdir or next((os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), "/tmp")  # noqa: S108
    return named if Path(named).is_dir() and os.access(named, os.W_OK | os.X_OK) else tempfile.gettempdir()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder that is gone afterwards."""
    made = Scratch()
    try:
        yield made.folder
    finally:
        made.close()


@functools.cache
def _sweep_once(place: Path) -> None:
    sweep_folders(place, SCRATCH)


def sweep_folders(place: Path, ends: tuple[str, str], rescue: Callable[[Path], object] = lambda _: None) -> None:
    """Remove what dead runs of this user left: folders whose lock nobody holds, or that have none yet or no longer.

    Args:
        place: the folder they are in.
        ends: their names before and after 16 digits.
        rescue: called with each before it goes.
    """
    name = re.compile("[0-9a-f]{16}".join(map(re.escape, ends)))
    try:
        left = [Path(entry.path) for entry in os.scandir(place) if name.fullmatch(entry.name)]
    except OSError:
        return
    for folder in left:
        with contextlib.suppress(OSError), contextlib.ExitStack() as opened:
            about = folder.lstat()
            if folder.is_symlink() or USER() not in (about.st_uid, None):
                continue
            if (folder / OWNER).exists():
                handle = os.open(folder / OWNER, os.O_RDWR | UNFOLLOWED)
                opened.callback(os.close, handle)
                hold(handle)
                rescue(folder)
                _remove(folder)
            else:
                folder.rmdir()


def _remove(folder: Path) -> None:
    """The lock file goes last: as long as anything is there, a sweep knows whose it is."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)  # a database that was interrupted may still remove its own
        elif path.name != OWNER:
            path.unlink(missing_ok=True)
    (folder / OWNER).unlink(missing_ok=True)
    folder.rmdir()
