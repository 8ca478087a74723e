"""`recallwatch accept`: take a window that failed into the reference."""

from __future__ import annotations

from typing import Annotated

import typer

STORE = Annotated[str, typer.Argument(metavar="STORE", help="Folder that keeps it, or its address.", show_default=False)]
WINDOW = Annotated[
    str | None,
    typer.Argument(
        metavar="WINDOW", help="Start of the window: an ISO date or time. Default: list what is accepted.", show_default=False
    ),
]
FAMILY = Annotated[
    str | None, typer.Option("--family", metavar="FAMILY", help="quality, answers, latency, mix, labels or health. Default: all.")
]
ZONE = Annotated[
    str | None, typer.Option("--timezone", metavar="ZONE", help="IANA time zone of a bare date. Default: that of the windows.")
]
FROM_HERE = Annotated[
    bool, typer.Option("--from-here", help="A new regime begins there: earlier windows are no reference any more.")
]
REASON = Annotated[str, typer.Option("--reason", help="Why, for those who read it later.")]
UNDO = Annotated[bool, typer.Option("--undo", help="Take the decision back.")]


def command(
    store: STORE,
    window: WINDOW = None,
    family: FAMILY = None,
    timezone: ZONE = None,
    from_here: FROM_HERE = False,  # a flag
    reason: REASON = "",
    undo: UNDO = False,  # a flag
) -> None:
    """Accept a window that failed: from now on it belongs to the reference.

    Example: recallwatch accept store 2026-11-12 --family latency --from-here --reason "new reranker"
    """
    from ..base.progress import tell
    from ..base.remote import path_of
    from ..monitor.accepted import accept, read

    if window is None:
        for entry in read(path_of(store, is_fresh=True)):
            regime = ", a new regime" if entry.from_here else ""
            typer.echo(f"{entry.window}  {entry.family or 'every family'}{regime}{f': {entry.reason}' if entry.reason else ''}")
        return
    path = accept(store, window, family, timezone=timezone, from_here=from_here, reason=reason, undo=undo)
    word = "no longer accepted" if undo else "the start of a new regime" if from_here else "accepted"
    tell(f"{window} is {word} for {family or 'every family'} ({path})")
