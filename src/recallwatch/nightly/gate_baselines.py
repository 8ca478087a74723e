"""What a limit against a baseline may be compared with; a baseline that can never be there is an error at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.errors import UsageError
from ..base.zone import zone_of
from ..report.wall_time import on_the_wall
from .configuration import Gates
from .gates import Gate


def refuse_baseline(gates: Iterable[Gate], settings: Gates, windows: Sequence[str], timezone: str) -> None:
    """A date as the baseline that no window has would leave its gates `insufficient` for ever.

    Raises:
        UsageError: the date, and the first and last one there are.
    """
    is_dated = settings.baseline not in ("reference", "previous") and any(gate.by for gate in gates)
    if is_dated and windows and not dated(windows, settings.baseline, timezone):
        first, last = (on_the_wall(window, zone_of(timezone))[:10] for window in (min(windows), max(windows)))
        raise UsageError(f"no window of {settings.baseline}", where="gates.baseline", fix=f"Name one from {first} to {last}")


def refuse_reference(gates: Iterable[Gate], settings: Gates) -> None:
    """Without drift a limit against its reference would be `insufficient` for ever.

    Raises:
        UsageError: the first such gate.
    """
    gate = next((gate for gate in gates if gate.by and settings.baseline == "reference"), None)
    if gate is not None:
        fix = 'Write a number, set baseline = "previous" or a date, or compare windows (drift, and window = "day" or "week")'
        raise UsageError(f"no windows are compared, so {gate.limit!r} has no reference", where=f"gates.{gate.name!r}", fix=fix)


def dated(windows: Iterable[str], date: str, timezone: str) -> list[str]:
    """The windows of a date: a window's date is what its day is called in the time zone."""
    zone = zone_of(timezone)
    return [window for window in windows if on_the_wall(window, zone).startswith(date)]
