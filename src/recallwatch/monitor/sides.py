"""The two sides of one comparison: what every test gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..document.numbers import plural
from ..stats.closed_forms import among, weighted_median

if TYPE_CHECKING:
    from ..stats.closed_forms import Ints
    from .settings import Settings
    from .state import State
    from .windows import Unit

ALIKE = 2 / 3  # lists shorter by less lost documents; shorter by more, they were cut off
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

    @property
    def has_spread(self) -> bool:
        """Whether it has enough to show, if with few degrees of freedom, by how much they differ."""
        return len(self.refs) >= self.settings.min_blocks

    @cached_property
    def tenants(self) -> Ints:
        """The tenant that asks a query, as a code per label number, shape (n_labels + 1,); −1 = several, or unknown."""
        quality, codes = self.state.quality, len(self.state.values["tenant_id"])
        first, last = (np.full(max(self.state.labels, default=0) + 1, start, np.int64) for start in (codes, -1))
        np.minimum.at(first, quality.label, quality.segments["tenant_id"])
        np.maximum.at(last, quality.label, quality.segments["tenant_id"])
        return np.where(first == last, last, -1)

    @cached_property
    def depths(self) -> list[int]:
        """Usual length of the lists on both sides: of the longest of each hour and segment the median, by recalls."""
        columns = (self.column(self.state.events, name) for name in ("depth", "n"))
        return [weighted_median(depth, n) for depth, n in zip(*columns, strict=True)]

    @cached_property
    def all_failed(self) -> str:
        """Why no answer can be looked at: every recall of one side ended in an error; empty where one has an answer."""
        for name, failed, n in zip(
            ("reference", "current window"),
            self.column(self.state.events, "n_error"),
            self.column(self.state.events, "n"),
            strict=True,
        ):
            if n.any() and failed.sum() == n.sum():
                return f"all {plural(int(n.sum()), 'recall')} of the {name} ended in an error"
        return ""

    def other_lists(self, k: int | None) -> str:
        """Why the first k ranks (None = all) of both sides cannot be compared: one side's lists end before; empty where they can.

        No lists at all are a loss like any other.
        """
        before, after = self.depths
        shorter, longer = sorted(self.depths)
        if not shorter or shorter >= longer * ALIKE or (k is not None and shorter >= k):
            return ""
        return f"lists are {after} documents long, in the reference {before}"

    def column(self, table: Mapping[str, Ints], name: str) -> Both:
        """One column of a state table on both sides."""
        first, then = (table[name][among(table["day_no"], days)] for days in self.days)
        return first, then

    def tell_engine(self) -> None:
        """Create drift_sides(day_no, side) for the queries of sql/5_drift."""
        rows = [*((day, "reference") for day in self.before), *((day, "current") for day in self.after)]
        self.state.engine.values("drift_sides", {"day_no": "integer", "side": "varchar"}, rows)
