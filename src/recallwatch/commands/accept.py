"""`recallwatch accept`: take a window that failed into the reference."""

from __future__ import annotations

from typing import Annotated

import typer

STORE = Annotated[str, typer.Argument(metavar="STORE", help="Folder that keeps it, or its address.", show_default=False)]
WINDOW = Annotated[str, typer.Argument(metavar="WINDOW", help="Start of the window: an ISO date or time.", show_default=False)]
FAMILY = Annotated[str | None, typer.Option("--family", help="quality, latency, mix, labels or health. Default: all.")]
ZONE = Annotated[str, typer.Option("--timezone", help="IANA time zone of a bare date.")]


def command(store: STORE, window: WINDOW, family: FAMILY = None, timezone: ZONE = "UTC") -> None:
    """Accept a window that failed: from now on it belongs to the reference.

    Example: recallwatch accept store 2026-11-12 --family latency
    """
    from ..base.progress import tell
    from ..monitor.accepted import accept

    path = accept(store, window, family, timezone=timezone)
    tell(f"{window} is accepted for {family or 'every family'} ({path})")
