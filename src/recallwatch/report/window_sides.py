"""What a report shows besides the result: the reference and the current window side by side, aggregated as windows are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.engine import Engine, quoted
from ..base.rows import rows
from ..scoring.readout import READ_OUT

SIDES = ("reference", "current")
WINDOWED = 'isfinite("window")'  # without windows everything stands at -infinity
AT = {side: dt.datetime(1970, 1, 1 + i, tzinfo=dt.UTC) for i, side in enumerate(SIDES)}  # a window no log has, to stand for a side
Spans = Mapping[str, Mapping[str, Sequence[Sequence[str]]]]


class SideReader:
    """Reads the sides of a comparison from the engine of an evaluation (:attr:`Request.then`).

    Args:
        spans: quality or latency -> side -> its windows as [from, to), ISO times; empty = no comparison.

    Attributes:
        tables: ``metrics``, ``latency`` and ``questions`` (rows as in an evaluation, ``side`` in place of ``window``), ``queries`` (one row a
            query and metric: before, after, change), ``spread`` (share of recalls up to so many ms), ``versions`` (variant and
            index version by window), ``shares`` (ratios of counts) and ``window_shares`` (the same by window), ``labels_hash``.
    """

    def __init__(self, spans: Spans) -> None:
        self._spans = [
            (family, side, start, end) for family, sides in spans.items() for side in SIDES for start, end in sides[side]
        ]
        lists: dict[str, Any] = {name: [] for name in ("metrics", "latency", "questions", "queries", "spread", "versions")}
        self.tables = {**lists, "shares": {}, "window_shares": [], "labels_hash": None}

    def __call__(self, engine: Engine) -> None:
        """Read; the engine's sums hold sides instead of windows afterwards. Only the first call reads: a store asks its old labels after the new."""
        if self.tables["shares"]:
            return
        engine.file("2_judge/labels_hash.sql")
        ((self.tables["labels_hash"],),) = engine.run("from labels_hash")
        self._shares(engine)
        is_stored = _has(engine, "version_sums")  # a store has them by day
        if is_stored or _has(engine, "keyed"):
            for name in (*(() if is_stored else ("4_aggregate/version_sums",)), "6_report/versions"):
                engine.file(f"{name}.sql")
            self.tables["versions"] = rows(engine.arrow(f"from versions where {WINDOWED}"))
        if self._spans:
            self._sides(engine)

    def _shares(self, engine: Engine) -> None:
        engine.file("6_report/rejected.sql")
        if not _has(engine, "list_sums"):  # one look at the whole log had counted its lists
            engine.file("4_aggregate/lists.sql")
        engine.file("6_report/shares.sql")
        self.tables["shares"] = engine.rows("from shares")[0]
        self.tables["window_shares"] = rows(engine.arrow(f"from window_shares where {WINDOWED}"))

    def _sides(self, engine: Engine) -> None:
        spans = ", ".join(
            f"({quoted(family)}, {quoted(AT[side])}::timestamptz, {quoted(start)}::timestamptz, {quoted(end)}::timestamptz)"
            for family, side, start, end in self._spans
        )
        engine.run(
            f"create or replace table report_spans as select * from (values {spans}) as t(family, side_at, start_at, end_at)"
        )
        sides = ", ".join(f"({quoted(AT[side])}::timestamptz, {quoted(side)})" for side in SIDES)
        engine.run(f"create or replace table report_sides as select * from (values {sides}) as t(side_at, side)")
        kind = "view" if engine.run("select count(*) from duckdb_views() where view_name = 'latency_values'")[0][0] else "table"
        engine.run(f"alter {kind} latency_values rename to windowed_latency_values")
        for name in ("6_report/sides", "6_report/before_after", "6_report/spread", *(f"4_aggregate/{name}" for name in READ_OUT)):
            engine.file(f"{name}.sql")
        for table in ("metrics", "latency"):
            engine.file(f"6_report/{table}.sql")
            self.tables[table] = [_sided(row) for row in rows(engine.arrow(f'from {table} where "window" is not null'))]
        if _has(engine, "question_values"):
            engine.file("6_report/sides_questions.sql")
            self.tables["questions"] = [
                _sided(row) for row in rows(engine.arrow('from question_figures where "window" is not null'))
            ]
        self.tables["queries"] = rows(engine.arrow("from before_after"))
        self.tables["spread"] = rows(engine.arrow("from spread"))


def _has(engine: Engine, relation: str) -> bool:
    return bool(engine.run(f"select count(*) from information_schema.tables where table_name = {quoted(relation)}")[0][0])


def _sided(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its side's name in place of the time that stood for it."""
    year_day = str(row["window"])[:10]
    side = next(name for name, at in AT.items() if at.date().isoformat() == year_day)
    return {"side": side, **{name: value for name, value in row.items() if name != "window"}}


def spans_of(drift: Mapping[str, Any] | None) -> dict[str, dict[str, list[list[str]]]]:
    """The windows of both sides of a comparison's JSON, for quality and for latency; empty where a side has none."""
    if drift is None:
        return {}
    current = [[drift["current"]["from"], drift["current"]["to"]]]
    windows = {family: {"reference": spans, "current": current} for family, spans in drift["reference"]["windows"].items()}
    return {family: sides for family, sides in windows.items() if sides["reference"]}
