"""Where a metric's change comes from: class mix, query mix, within, entry and exit; the four sum to the total.

Source: Kitagawa 1955, doi 10.1080/01621459.1955.10501299 (symmetric form)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..base.definition import Column
    from .state import State


def decompose(state: State, column: Column, before: Iterable[int], after: Iterable[int]) -> dict[str, Any]:
    """total = class_mix + query_mix + within + entry_exit, for one metric over labelled recalls without error; ratio.

    All null where a window has no scorable recall.
    """
    parts = dict.fromkeys(("total", "class_mix", "query_mix", "within", "entry_exit"))
    row: dict[str, Any] = {"metric": column.metric, "k": column.k, **parts}
    (nr, sr), (nc, sc) = state.sums(str(column), before), state.sums(str(column), after)
    if not nr.any() or not nc.any():
        return row
    total = sum(sc.tolist()) / int(nc.sum()) / 1e12 - sum(sr.tolist()) / int(nr.sum()) / 1e12
    both = (nr > 0) & (nc > 0)
    if not both.any():
        return row | {"total": total, "class_mix": 0.0, "query_mix": 0.0, "within": 0.0, "entry_exit": total}
    p, q = nr[both] / nr[both].sum(), nc[both] / nc[both].sum()
    x, y = sr[both] / (nr[both] * 1e12), sc[both] / (nc[both] * 1e12)
    within = float((0.5 * (p + q) * (y - x)).sum())
    level = 0.5 * (x + y)
    mix = float(((q - p) * level).sum())
    class_mix = _class_mix(p, q, level, _classes(state)[both])
    rest = total - float((q * y).sum() - (p * x).sum())
    return row | {"total": total, "class_mix": class_mix, "query_mix": mix - class_mix, "within": within, "entry_exit": rest}


def _class_mix(p: Any, q: Any, level: Any, code: Any) -> float:
    """Σ_g (Q_g − P_g) m_g, with m_g the mean level of class g under the two windows' own query shares."""
    size = int(code.max()) + 1
    mass = [np.bincount(code, share, size) for share in (p, q)]
    means = [np.bincount(code, share * level, size) / np.maximum(m, 1e-300) for share, m in zip((p, q), mass, strict=True)]
    return float(((mass[1] - mass[0]) * 0.5 * (means[0] + means[1])).sum())


def _classes(state: State) -> Any:
    """Class code per label number: the one most of the query's rows carry; the last code for none."""
    if "classes" not in state.cache:
        rows, size = state.quality, len(state.values["query_class"]) + 1
        table = np.zeros((max(state.labels, default=0) + 1, size), np.int64)
        np.add.at(table, (rows.label, rows.segments["query_class"] % size), 1)
        state.cache["classes"] = table.argmax(1)
    return state.cache["classes"]
