"""Who carries a change: segments and pairs of segments, ranked by how much more of it they carry than of the traffic."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..stats.closed_forms import among, summed

if TYPE_CHECKING:
    from .sides import Sides
    from .state import State

SHOWN = 5
MIN_EXCESS = 0.2  # under it the change is spread about as the traffic is
MIN_GAIN = 0.02  # a pair must explain this much more than its better half, else the simpler name stands


def segments(sides: Sides, metric: str) -> list[dict[str, Any]]:
    """Segments by ``excess`` = share of the within change they carry − share of the traffic they are.

    Contributions are ½ (p_r + p_c)(ȳ_c − ȳ_r) per (query, segment) that both windows hold; they sum to the within effect.
    """
    rows = sides.state.quality
    names = [
        name for name in rows.segments if len(set(rows.segments[name].tolist())) > 1 and name not in ("variant", "index_version")
    ]
    groups: list[dict[str, Any]] = []
    for size in (1, 2):
        for group in combinations(names, size):
            groups += _carried(sides, metric, group)
    single = {tuple(row["segment"].items()): row["excess"] for row in groups if len(row["segment"]) == 1}
    named = [
        row
        for row in groups
        if len(row["segment"]) == 1 or row["excess"] > max(single.get((item,), -1.0) for item in row["segment"].items()) + MIN_GAIN
    ]
    named.sort(key=lambda row: (-row["excess"], sorted((k, str(v)) for k, v in row["segment"].items())))
    return [row for row in named[:SHOWN] if row["excess"] > 0]


def _carried(sides: Sides, metric: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Every group of one or two segment columns: what it carries of the change, and of the traffic."""
    state, rows = sides.state, sides.state.quality
    size = max(state.labels, default=0) + 1
    code = np.zeros(len(rows.label), np.int64)
    for name in names:
        code = code * (len(state.values[name]) + 1) + rows.segments[name] + 1
    groups, code = np.unique(code, return_inverse=True)
    cell = code * size + rows.label
    sums = []
    for days in sides.days:
        keep = among(rows.day, days)
        sums.append([summed(cell[keep], x[metric][keep], len(groups) * size) for x in (rows.n, rows.s)])
    (nr, sr), (nc, sc) = sums
    both = np.nonzero((nr > 0) & (nc > 0))[0]
    if not len(both):
        return []
    share = 0.5 * (nr[both] / nr[both].sum() + nc[both] / nc[both].sum())
    carried = share * (sc[both] / nc[both] - sr[both] / nr[both]) / 1e12
    carried[np.abs(carried) < 1e-12] = 0.0
    total = float(carried.sum())
    if total == 0:
        return []
    part, traffic = np.bincount(both // size, carried, len(groups)), np.bincount(both // size, share, len(groups))
    out = []
    for i in np.nonzero(traffic > 0)[0]:
        share = float(part[i] / total)
        numbers = {
            "carries": float(part[i]),
            "share_of_change": share,
            "share_of_traffic": float(traffic[i]),
            "excess": share - float(traffic[i]),
        }
        out.append({"kind": "segment", "segment": _named(state, names, int(groups[i])), **numbers})
    return out


def _named(state: State, names: tuple[str, ...], group: int) -> dict[str, Any]:
    """A group's number back to its values."""
    segment: dict[str, Any] = {}
    for name in reversed(names):
        group, place = divmod(group, len(state.values[name]) + 1)
        segment[name] = state.values[name][place - 1] if place else None
    return {name: segment[name] for name in names}


def coincidences(sides: Sides) -> list[str]:
    """What else changed between the windows: the variant or index version that most of the traffic ran on, the labels."""
    state, before, after = sides.state, sides.before, sides.after
    changes = []
    for name, word in (("variant", "variant"), ("index_version", "index")):
        most = [_most(state, name, days) for days in (before, after)]
        if None not in most and most[0] != most[1]:
            changes.append(f"{word} {most[0]} → {most[1]}")
    fresh = state.judged_since(max(unit.end for unit in sides.refs))
    return changes + ([f"{fresh} labels were judged since"] if fresh else [])


def _most(state: State, name: str, days: list[int]) -> str | None:
    keep = among(state.events["day_no"], days) & (state.events[name] >= 0)
    if not keep.any():
        return None
    n = np.bincount(state.events[name][keep], state.events["n"][keep])
    return str(state.values[name][int(n.argmax())])
