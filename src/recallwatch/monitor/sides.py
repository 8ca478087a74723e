"""The two sides of one comparison: what every test gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..stats.closed_forms import among

if TYPE_CHECKING:
    from ..stats.closed_forms import Ints
    from .settings import Settings
    from .state import State
    from .windows import Unit

Both = tuple["Ints", "Ints"]  # one column of a state table: rows of the reference, rows of the current window


@dataclass(frozen=True)
class Sides:
    """A reference of one window or more, and the current window.

    Args:
        state: sums of all windows.
        refs: windows of the reference, in order.
        current: the current window.
        settings: levels and floors.
    """

    state: State
    refs: Sequence[Unit]
    current: Unit
    settings: Settings

    @property
    def before(self) -> list[int]:
        """Day numbers of the reference."""
        return [n for unit in self.refs for n in unit.numbers]

    @property
    def after(self) -> list[int]:
        """Day numbers of the current window."""
        return list(self.current.numbers)

    @property
    def days(self) -> tuple[list[int], list[int]]:
        """Day numbers of both."""
        return self.before, self.after

    @property
    def has_history(self) -> bool:
        """Whether the reference has enough windows to show how much windows vary."""
        return len(self.refs) >= self.settings.min_history

    def column(self, table: Mapping[str, Ints], name: str) -> Both:
        """One column of a state table on both sides."""
        first, then = (table[name][among(table["day_no"], days)] for days in self.days)
        return first, then

    def tell_engine(self) -> None:
        """Create drift_sides(day_no, side) for the queries of sql/5_drift."""
        rows = [*((day, "reference") for day in self.before), *((day, "current") for day in self.after)]
        self.state.engine.values("drift_sides", {"day_no": "integer", "side": "varchar"}, rows)
