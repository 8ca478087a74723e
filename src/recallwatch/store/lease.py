"""One writer at a time where there is no file system: a lease, which is an object that only one can make and its owner renews.

Made by a PUT that fails where the object is there (If-None-Match), taken over and renewed by one that fails where it is no longer
the one that was seen (If-Match). A writer whose lease ran out learns of it before it commits anything.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..base.errors import UsageError
from .layout import Store

RENEWED = 20.0  # s between two renewals
EXPIRES = 120.0  # s without one, after which another host may take over: five renewals may fail
CONDITIONAL = ("s3", "s3a")  # protocols with a PUT that replaces only what was seen

_leases: dict[str, Lease] = {}


@contextmanager
def leased(store: Store) -> Iterator[None]:
    """Hold a store's lease.

    Raises:
        UsageError: another process writes to the store (names its pid and host), or the store is not writable.
    """
    lease = Lease(store.path("writer.lock"))
    lease.take()
    _leases[str(store.folder)] = lease
    thread = threading.Thread(target=lease.renew, name="recallwatch-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        _leases.pop(str(store.folder), None)
        lease.ended.set()
        thread.join()
        lease.give_back()


def confirm(store: Store) -> None:
    """See :func:`recallwatch.store.lock.confirm`."""
    lease = _leases.get(str(store.folder))
    if lease is not None and not lease.is_mine():
        what = "another writer took the store over: this one did not renew its lease in time"
        raise UsageError(what, where=str(lease.path), fix="Run it again; what was committed stays")


class Lease:
    """The object, and who made it.

    Args:
        path: address of the object.
    """

    def __init__(self, path: Any) -> None:
        self.path, self.files = path, path.fs
        self.owner: dict[str, Any] = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "boot": _boot(),
            "started": _start_of(os.getpid()),
            "token": uuid.uuid4().hex,
            "renewed": 0,  # another number, another ETag: what was seen before a renewal cannot be replaced after it
        }
        self.ended = threading.Event()

    def take(self) -> None:
        """Make the object, or take over one whose owner is gone."""
        try:
            for _attempt in range(3):
                try:
                    self.files.pipe_file(self.path.path, self._body(), mode="create")
                except FileExistsError:
                    seen = self._seen()
                    if seen is None:  # given back in between
                        continue
                    if self.token in seen:  # ours: the service's reply was lost and the library repeated the request
                        return
                    self._refuse_living(seen)
                    if not self._replace(seen):
                        continue
                return
        except UsageError:
            raise
        except Exception as error:  # each service's library raises its own
            fix = "Check the address and the credentials; what was committed stays"
            raise UsageError(f"cannot be written ({error})", where=str(self.path), fix=fix) from error
        raise UsageError("another writer takes the lock again and again", where=str(self.path), fix="Wait for it to end")

    def renew(self) -> None:
        """Write the object again and again until the work ends; in a thread of its own."""
        while not self.ended.wait(RENEWED):
            with suppress(Exception):  # a service that does not answer now may do so next time; confirm() decides
                seen = self._seen()
                if seen is None or self.token not in seen:
                    return
                self.owner["renewed"] += 1
                self._replace(seen)

    @property
    def token(self) -> bytes:
        """What no other owner has."""
        return str(self.owner["token"]).encode()

    def is_mine(self) -> bool:
        """Whether the object is still the one this process wrote."""
        return self.token in (self._seen() or b"")

    def _body(self) -> bytes:
        return json.dumps(self.owner).encode()

    def give_back(self) -> None:
        """Remove the object, if it is still ours."""
        with suppress(Exception):
            if self.is_mine():
                self.files.rm_file(self.path.path)

    def _seen(self) -> bytes | None:
        try:
            return bytes(self.files.cat_file(self.path.path))
        except FileNotFoundError:
            return None

    def _replace(self, seen: bytes) -> bool:
        """Write ours over what was seen, and over nothing else; False = it is another one by now."""
        try:
            tag = self.files.info(self.path.path).get("ETag")
            if self._seen() != seen:  # the tag is that of these bytes, or the PUT fails
                return False
            only_over = {"IfMatch": tag} if tag and self.path.protocol in CONDITIONAL else {}
            self.files.pipe_file(self.path.path, self._body(), **only_over)
        except FileNotFoundError:
            return False
        except OSError as error:
            if self._seen() != seen:
                return self.is_mine()
            raise error from None
        return True

    def _refuse_living(self, seen: bytes) -> None:
        """A writer on this machine lives as long as its process, one elsewhere as long as it renews."""
        try:
            owner = json.loads(seen)
            pid, host, boot, started = int(owner["pid"]), str(owner["host"]), owner["boot"], owner["started"]
        except (ValueError, KeyError, TypeError):
            return
        if (host, boot) == (self.owner["host"], self.owner["boot"]):
            if started is not None and _start_of(pid) == started:
                raise UsageError(f"process {pid} is writing", where=str(self.path), fix="Wait for it to end, or stop it")
            return
        left = EXPIRES - self._age()
        if left > 0:
            fix = f"Wait for it; if it is gone, its lease runs out in {left:.0f} s"
            raise UsageError(f"process {pid} on host {host} is writing", where=str(self.path), fix=fix)

    def _age(self) -> float:
        """Seconds since the last renewal, both ends by the service's own clock."""
        probe = self.path.with_name(f"writer.lock.{self.owner['token']}.tmp")
        self.files.pipe_file(probe.path, b"")
        try:
            return float((self.files.modified(probe.path) - self.files.modified(self.path.path)).total_seconds())
        except FileNotFoundError:
            return 0.0
        finally:
            self.files.rm_file(probe.path)


def _boot() -> str:
    """Which start of which machine this is, and whose process ids: a host's name alone may be another's too."""
    with suppress(OSError):
        return (
            f"{Path('/proc/sys/kernel/random/boot_id').read_text(encoding='ascii').strip()} {Path('/proc/self/ns/pid').readlink()}"
        )
    return ""


def _start_of(pid: int) -> str | None:
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
