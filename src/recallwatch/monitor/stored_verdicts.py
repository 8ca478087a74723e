"""Verdicts stored beside the sums: a window that was judged on an earlier night is not judged again."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..base.rows import iso
from ..base.version import code_hash
from ..store.layout import read_json, write_json
from ..store.lock import writing_if_free
from ..store.snapshot import Snapshot, digest
from .finding import Finding
from .measurement import Measured
from .result import Drift

if TYPE_CHECKING:
    from .windows import Unit

Judge = Callable[[Mapping[str, Sequence["Unit"]], "Unit", Collection[str]], Drift]
# references by family, current window, families with a long history -> the comparison


class Verdicts:
    """A file in a store's aggregates/: digest of the inputs -> the comparison before a series adds states.

    A broken or missing file is no error: its windows are judged again.

    Args:
        snapshot: what is committed; a verdict is valid while the days of its windows have the same parts.
        words: what else every verdict depends on.
        head: ``labels`` and ``sql``, for the removal of outdated files.
        judge: computes a verdict that is not stored.
    """

    def __init__(self, snapshot: Snapshot, words: Sequence[str], head: Mapping[str, str], judge: Judge) -> None:
        self._snapshot, self._head, self._judge = snapshot, head, judge
        self._path = snapshot.store.path(f"aggregates/verdicts-{digest([json.dumps([*words, code_hash()])])[:16]}.json")
        self._parts: dict[Unit, list[str]] = {}
        self._stored: dict[str, str] = {}
        self._used: dict[str, str] = {}
        self._is_new = False
        with suppress(InputError, KeyError, TypeError, ValueError):
            self._stored = dict(read_json(self._path)["verdicts"])

    def __call__(self, refs: Mapping[str, Sequence[Unit]], unit: Unit, nightly: Collection[str]) -> Drift:
        """The comparison, stored or computed now."""
        inputs = digest(
            [json.dumps([family, *(self._parts_of(u) for u in (*units, unit))]) for family, units in refs.items()] + sorted(nightly)
        )
        text = self._stored.get(inputs, "")
        result = _unpacked(text)
        if result is None:
            result, self._is_new = self._judge(refs, unit, nightly), True
            text = _packed(result)
        self._used[inputs] = text
        return result

    def save(self) -> None:
        """Store the verdicts used, if one of them is new and the store can be written."""
        if not self._is_new:
            return
        with writing_if_free(self._snapshot.store) as is_writer:
            if is_writer:
                write_json(self._path, {"head": dict(self._head), "verdicts": self._used})

    def _parts_of(self, unit: Unit) -> list[str]:
        if unit not in self._parts:
            days = [date for day in unit.days for date in day.dates if date in self._snapshot.days]
            self._parts[unit] = [iso(unit.start), iso(unit.end), *map(self._snapshot.inputs, days)]
        return self._parts[unit]


def _packed(result: Drift) -> str:
    """A comparison as JSON; floats come back as they were."""
    return json.dumps(dataclasses.asdict(result), default=lambda number: number.item())  # numpy's integers


def _unpacked(text: str) -> Drift | None:
    """The comparison again; None = no such JSON."""
    try:
        row: dict[str, Any] = json.loads(text)
        row["findings"] = tuple(
            Finding(Measured(**finding.pop("measured")), ci=tuple(finding.pop("ci")), **finding) for finding in row["findings"]
        )
        lists = ("decomposition", "change_points", "notes", "causes", "funnel")
        return Drift(**{**row, **{name: tuple(row[name]) for name in lists}})
    except (ValueError, TypeError, KeyError):
        return None
