"""Windows that failed and were accepted all the same: a small JSON file in the folder of a store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..base.errors import InputError, UsageError
from ..base.files import write_whole
from ..base.registry import known
from ..base.remote import path_of
from ..base.verdicts import FAMILIES
from ..base.zone import zone_of
from ..store.layout import ACCEPTED
from .windows import moment

NAME = ACCEPTED


def read(folder: Path) -> list[tuple[str, str | None]]:
    """(start of window, family or None = every family); [] where nothing was accepted.

    Raises:
        InputError: a file that somebody broke.
    """
    path = folder if folder.suffix == ".json" else folder / NAME
    if not path.exists():
        return []
    try:
        return [(entry["window"], entry["family"]) for entry in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"no list of accepted windows ({error})", where=str(path), fix="Mend or remove it") from error


def accept(store: Any, window: str, family: str | None = None, *, timezone: str = "UTC") -> Path:
    """Take a failed window into the reference from now on; returns the file that says so.

    Args:
        store: folder; made where there is none.
        window: start of the window, an ISO date or time.
        family: quality, latency, mix, labels or health; None = all.
        timezone: zone of a bare date.

    Raises:
        UsageError: no such family, or no date.
    """
    if family is not None and family not in FAMILIES:
        raise UsageError(f"unknown family {family!r}", where="--family", fix=known(family, FAMILIES))
    start = moment(window.replace("Z", "+00:00"), zone_of(timezone), where="WINDOW").isoformat().replace("+00:00", "Z")
    folder = path_of(str(store), is_fresh=True)
    entries = sorted({*read(folder), (start, family)}, key=lambda e: (e[0], e[1] or ""))
    path = folder / NAME
    text = json.dumps([{"window": w, "family": f} for w, f in entries], indent=1) + "\n"
    write_whole(path, text.encode(), parents=True)
    return path
