"""Windows that failed and were accepted all the same: a small JSON file in the folder of a store or of the files of a run."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any, NamedTuple

from ..base.errors import InputError, UsageError
from ..base.files import write_whole
from ..base.registry import known
from ..base.remote import path_of
from ..base.verdicts import FAMILIES
from ..base.zone import zone_of
from ..store import open_store
from ..store.layout import ACCEPTED, is_store
from ..store.marker import snapshot
from .windows import moment

NAME = ACCEPTED


class Accepted(NamedTuple):
    """One decision.

    Attributes:
        window: start of the window, as somebody wrote it: a bare date is its midnight in the zone of the windows.
        family: one family; None = all.
        from_here: whether a new regime begins there: windows before it are no reference any more.
        reason: why, in words.
    """

    window: str
    family: str | None
    from_here: bool = False
    reason: str = ""


def read(folder: Path) -> list[Accepted]:
    """What was accepted; [] where nothing was.

    Raises:
        InputError: a file that somebody broke.
    """
    path = folder if folder.suffix == ".json" else folder / NAME
    if not path.exists():
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [Accepted(e["window"], e["family"], bool(e.get("from_here")), str(e.get("reason") or "")) for e in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"no list of accepted windows ({error})", where=str(path), fix="Mend or remove it") from error


def accept(
    store: Any,
    window: str,
    family: str | None = None,
    *,
    timezone: str | None = None,
    from_here: bool = False,
    reason: str = "",
    undo: bool = False,
) -> Path:
    """Take a failed window into the reference from now on; returns the file that says so.

    Args:
        store: folder of a store, or the one a run without a store writes to.
        window: start of the window, an ISO date or time.
        family: quality, answers, latency, mix, labels or health; None = all.
        timezone: zone of a bare date; None = that of the windows.
        from_here: a new regime begins with this window: only windows from it on are compared with later ones.
        reason: why, for those who read it later.
        undo: take the decision back.

    Raises:
        UsageError: no such folder or family, no date, a date without any recall around it, nothing to take back.
    """
    if family is not None and family not in FAMILIES:
        raise UsageError(f"unknown family {family!r}", where="--family", fix=known(family, FAMILIES))
    folder = path_of(str(store), is_fresh=True)
    if not folder.exists():
        raise UsageError("no such folder", where=str(store), fix="Name the store, or the folder that a run writes to")
    start = moment(window.replace("Z", "+00:00"), zone_of(timezone or "UTC"), where="WINDOW")
    oldest, newest = _first_and_last(store)
    day, week = (
        dt.timedelta(days=1),
        dt.timedelta(days=7),
    )  # a date has begun somewhere before it has in UTC; a window is a week at most
    side = "later" if start > newest + day else "earlier" if oldest is not None and start < oldest - week - day else None
    if side is not None and not undo:
        raise UsageError(f"{window} is {side} than any recall", where="WINDOW", fix="Name the start of a window that was judged")
    text = window if len(window) == len("2026-11-12") and timezone is None else start.isoformat().replace("+00:00", "Z")
    entries = [entry for entry in read(folder) if (entry.window, entry.family) != (text, family)]
    if undo and len(entries) == len(read(folder)):
        raise UsageError(
            f"{window} is not accepted for {family or 'every family'}", where="--undo", fix=f"See recallwatch accept {store}"
        )
    if not undo:
        entries.append(Accepted(text, family, from_here, reason))
    path = folder / NAME
    rows = [entry._asdict() for entry in sorted(entries, key=lambda e: (e.window, e.family or ""))]
    write_whole(path, (json.dumps(rows, indent=1) + "\n").encode(), parents=True)
    return path


def _first_and_last(store: Any) -> tuple[dt.datetime | None, dt.datetime]:
    """The times of the first and the last recall of a store; nothing and now, where the folder is none."""
    parts = snapshot(open_store(str(store))) if is_store(str(store)) else []
    first, last = [one.first_at for one in parts if one.first_at], [one.last_at for one in parts if one.last_at]
    read = dt.datetime.fromisoformat
    return read(min(first)) if first else None, read(max(last)) if last else dt.datetime.now(dt.UTC)
