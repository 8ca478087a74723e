"""The loss funnel: the share of the relevant documents that each stage's list holds, and that each stage loses (sql/4_aggregate/funnel.sql)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.engine import Engine
from ..base.rows import rows
from ..document.model import COUNT, NAME, RATIO, SHARE, SIZE, Section, heads

FUNNEL_K = 10  # ranks that count in the end
SUMMED = ("1_normalise/stage_lists", "4_aggregate/funnel")  # funnel_recalls -> funnel_sums
ALL = "all"  # the side of a result that has one only
NAMES = {"search": "in no list", "returned": "the list returned"}
Row = Mapping[str, Any]


def funnel(engine: Engine, relation: str, *, side: str = f"'{ALL}'") -> list[dict[str, Any]]:
    """The rows of 6_report/funnel.sql of some recalls; empty where none logs a list before its own.

    Args:
        engine: holds the relation and label_periods.
        relation: columns of recalls.
        side: SQL of the side a recall is on.
    """
    engine.run(f"create or replace view funnel_recalls as select 0 as day_no, 0 as h, {side} as side, * from {relation}")
    engine.options(funnel_k=FUNNEL_K)
    for name in SUMMED:
        engine.file(f"{name}.sql")
    return read(engine)


def read(engine: Engine) -> list[dict[str, Any]]:
    """funnel_sums as rows: side, stage, n, length, recall, lost, near."""
    engine.file("6_report/funnel.sql")
    return rows(engine.arrow("from funnel"))


def section(funnel: Sequence[Row]) -> Section:
    """What each stage holds and loses; of two sides the second beside the first."""
    sides = list(
        dict.fromkeys(row["side"] for row in sorted(funnel, key=lambda row: (row["side"] in ("b", "current"), row["side"])))
    )
    cells = {(row["side"], row["stage"]): row for row in funnel}
    named = [f", {side}" if len(sides) > 1 else "" for side in sides]
    columns = heads(
        ("stage", NAME),
        *((f"relevant{side}", RATIO) for side in named),
        *((f"lost{side}", SHARE) for side in named),
        ("near misses", COUNT),
        ("list length", SIZE),
        ("recalls", COUNT),
    )
    table = []
    for stage in dict.fromkeys(row["stage"] for row in funnel):
        at_stage = [cells.get((side, stage), {}) for side in sides]
        name = f"first {FUNNEL_K}" if stage == "first k" else NAMES.get(stage, stage)
        values = [one.get(key) if one.get(key) is not None else "" for key in ("recall", "lost") for one in at_stage]
        last = [at_stage[-1].get(key) if at_stage[-1].get(key) is not None else "" for key in ("near", "length", "n")]
        table.append((name, *values, *last))
    note = (
        f"relevant: the share of all relevant documents that the stage's list holds, in the last row recall@{FUNNEL_K}; near miss: a document "
        "that the stage lost, at a rank within twice the length of its list"
    )
    return Section("Where relevant documents are lost", columns, table, [note] if table else []).filled()


def moved(funnel: Sequence[Row]) -> tuple[Row, Row] | None:
    """The stage whose loss grew most, before and after; None where none did."""
    before = {row["stage"]: row for row in funnel if row["side"] == "reference"}
    pairs = [(before[row["stage"]], row) for row in funnel if row["side"] == "current" and row["stage"] in before]
    worst = max(pairs, key=lambda pair: pair[1]["lost"] - pair[0]["lost"], default=None)
    return worst if worst and worst[1]["lost"] > worst[0]["lost"] else None
