"""The options of a drift: which windows are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base import declared as o
from ..base.declared import Owned, option
from ..base.definition import Definition
from ..base.options import Limits, Period, Reading
from ..base.takes import Takes
from .settings import Settings

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class DriftWindows(Owned):
    """Which windows are compared, and what their days are grouped by."""

    reference: str | None = option(
        None, "Reference window, A <= t < B; a bare date is its midnight. Default: the accepted windows before.", metavar="A..B"
    )
    current: str | None = option(None, "Current window. Default: the newest.", metavar="C..D")
    window: str | None = option(
        None, "Where no windows are named: the newest day or week against those before it.", ("day", "week")
    )
    series: bool = option(False, "A verdict for every window, with states and change points.", check=o.yes_or_no)
    baseline: str | None = option(
        None, "A date or a period that every window of a series is held against too, whatever was accepted since.", metavar="A|A..B"
    )
    by: tuple[str, ...] = option(
        (), "Columns or attributes to group by, each for itself; a*b = their cross product.", check=o.names
    )
    timezone: str = option("UTC", "IANA time zone of the windows.", check=o.zone)
    incomplete: bool = option(False, "Judge the newest window although it is incomplete.", check=o.yes_or_no)
    accepted: Iterable[Any] | None = option(
        None, "Folder that `recallwatch accept` wrote to; or starts of accepted windows. Default: a store's own.", check=o.anything
    )

    @property
    def zone(self) -> ZoneInfo:
        """The zone the windows are cut in.

        Raises:
            UsageError: no such zone.
        """
        from ..base.zone import zone_of  # needs the engine

        return zone_of(self.timezone)


DRIFT = Takes("drift", DriftWindows, Period, Reading, Limits, Settings, Definition)
