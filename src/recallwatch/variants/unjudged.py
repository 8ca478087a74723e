"""The unjudged documents of two arms, and which of them to judge first."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..base.definition import Definition, columns_of
from ..base.engine import Engine
from ..scoring.binding import Cut, bind
from ..scoring.unjudged import Unjudged, is_looked_at, unjudged_of
from .arms import Arm

FIX = "judge some of them (-f jsonl -o FILE)"


def unjudged(engine: Engine, a: Arm, b: Arm, names: Sequence[str], definition: Definition) -> Unjudged | None:
    """The unjudged documents of two arms; None where nothing is known of their lists, or the labels are complete.

    Args:
        engine: a new one.
        a: one arm.
        b: the other.
        names: metrics that are compared.
        definition: what the numbers mean.
    """
    if a.lists is None or b.lists is None or definition.unjudged == "irrelevant":
        return None
    columns = [column for column in columns_of(tuple(names), ()) if is_looked_at(column.metric)]
    if not columns:
        return None
    bind(engine, definition, Cut(tuple(columns)))
    engine.register("lists_a", a.lists)
    engine.register("lists_b", b.lists)
    documents = unjudged_of(engine, (a.name, b.name), columns, definition, FIX)
    return dataclasses.replace(documents, tasks=engine.rows("from settle_tasks"))
