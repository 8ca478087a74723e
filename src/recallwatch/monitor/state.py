"""The mergeable state behind every drift test: built by sql/5_drift from `recalls`, handed on as arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.definition import Column
from ..base.engine import identifier, quoted
from ..scoring.quality import counted_sql
from ..stats.closed_forms import Floats, Ints, among, summed
from .lazy_state import LazyTables

if TYPE_CHECKING:
    import datetime as dt

    import pyarrow as pa
    from numpy.typing import NDArray

    from ..base.definition import Definition
    from ..base.engine import Engine
    from .windows import Day

SCALE = 1e12  # sums of values are integers of 1e-12, as decimal(18, 12) keeps them
MAX_CLUSTERS = 4096
SEGMENTS = ("query_class", "tenant_id", "variant", "index_version")
JUDGED = "judged_nonrelevant"
VALUE_SUMS = r"count(columns('^v(\d+)$')) as 'n_\1', sum(columns('^v(\d+)$')::decimal(18, 12)) as 's_\1'"  # of drift_values


@dataclass(frozen=True)
class Quality:
    """Exact sums per day, query and segment; rows in the order of day.

    Args:
        day, label: per row, shape (n_rows,).
        segments: name -> code per row (−1 = null), with the values in ``State.values``.
        n, s: metric -> count and sum in 1e-12, shape (n_rows,).
    """

    day: Ints
    label: Ints
    segments: dict[str, Ints]
    n: dict[str, Ints]
    s: dict[str, Ints]


@dataclass(frozen=True)
class Latency:
    """Log-bucket counts per day, stage and class; cache misses only; shape (n_rows,) each."""

    day: Ints
    stage: Ints
    query_class: Ints
    bucket: Ints
    n: Ints


@dataclass
class State:
    """Everything the tests read, in memory bound by queries x days x segments, never by events.

    Args:
        quality, latency: see their classes.
        events: columns of ``state_events``: per day, hour and segment.
        stages: columns of ``state_stages``: per day, hour and stage.
        values: segment name -> its values, in the order of their codes; ``stage`` too.
        columns: the tested metrics, ``judged_nonrelevant`` last.
        labels: query_id (or text) and class per label number.
        can_judge: whether any label has a grade that is not relevant.
        judged: when labels were judged, where they say so, in order.
        rejects: day number -> lines that could not be read, of files whose first event is of that day.
        lazy: the tables that only some findings need.
    """

    engine: Engine
    quality: Quality
    latency: Latency
    events: dict[str, Any]
    stages: dict[str, Any]
    values: dict[str, list[Any]]
    columns: tuple[Column, ...]
    labels: dict[int, dict[str, Any]]
    can_judge: bool
    judged: list[dt.datetime]
    rejects: dict[int, int]
    lazy: LazyTables
    cache: dict[Any, Any] = field(default_factory=dict)

    def of(self, days: Iterable[int]) -> State:
        """The state of some days only, without segment values that none of them has: so a verdict depends on no other day."""
        wanted = sorted(set(days))
        q, h = self.quality, self.latency
        in_q, in_h, in_e, in_s = (among(c, wanted) for c in (q.day, h.day, self.events["day_no"], self.stages["day_no"]))
        segments, n, s = ({name: column[in_q] for name, column in table.items()} for table in (q.segments, q.n, q.s))
        events = {name: column[in_e] for name, column in self.events.items()}
        stages = {name: column[in_s] for name, column in self.stages.items()}
        times = {"stage": h.stage[in_h], "query_class": h.query_class[in_h]}
        coded = ((segments, tuple(segments)), (events, SEGMENTS), (stages, ("stage",)), (times, tuple(times)))
        values = {}
        for name, known in self.values.items():
            tables = [table for table, own in coded if name in own]
            values[name], place = _those_of(known, [table[name] for table in tables])
            for table in tables:
                table[name] = place[table[name]]
        return replace(
            self,
            quality=Quality(q.day[in_q], q.label[in_q], segments, n, s),
            latency=Latency(h.day[in_h], times["stage"], times["query_class"], h.bucket[in_h], h.n[in_h]),
            events=events,
            stages=stages,
            values=values,
            rejects={day: n for day, n in self.rejects.items() if day in wanted},
            cache={},
        )

    def sums(self, metric: str, days: Iterable[int], segment: tuple[str, int] | None = None) -> tuple[Ints, Ints]:
        """Count and exact sum per label number over some days, shape (n_labels + 1,)."""
        n, s = self.by_day(metric, segment)
        rows = self.places(days)
        return n[rows].sum(axis=0), s[rows].sum(axis=0)

    def sums_each(self, metric: str, spans: Iterable[Iterable[int]], segment: tuple[str, int] | None = None) -> tuple[Ints, Ints]:
        """The same for each of several spans of days, shape (n_spans, n_labels + 1)."""
        n, s = self.by_day(metric, segment)
        places = [self.places(days) for days in spans]
        if all(len(place) == 1 for place in places):
            rows = np.concatenate(places)
            return n[rows], s[rows]
        return np.stack([n[rows].sum(axis=0) for rows in places]), np.stack([s[rows].sum(axis=0) for rows in places])

    def places(self, days: Iterable[int]) -> Ints:
        """Rows of :meth:`by_day` for some days; the last one, which is all zero, for a day without labelled recalls."""
        if "places" not in self.cache:
            self.cache["places"] = {day: row for row, day in enumerate(np.unique(self.quality.day).tolist())}
        row_of_day: dict[int, int] = self.cache["places"]
        return np.array(sorted({row_of_day.get(day, len(row_of_day)) for day in days}), np.int64)

    def by_day(self, metric: str, segment: tuple[str, int] | None) -> tuple[Ints, Ints]:
        """Count and exact sum per day and label number, shape (n_days + 1, n_labels + 1); cached."""
        key = ("by_day", metric, segment)
        if key not in self.cache:
            rows, size = self.quality, max(self.labels, default=0) + 1
            days, place = np.unique(rows.day, return_inverse=True)
            keep = slice(None) if segment is None else rows.segments[segment[0]] == segment[1]
            cell = (place * size + rows.label)[keep]
            cells = (len(days) + 1) * size
            self.cache[key] = tuple(summed(cell, x[metric][keep], cells).reshape(-1, size) for x in (rows.n, rows.s))
        sums: tuple[Ints, Ints] = self.cache[key]
        return sums

    def judged_since(self, moment: dt.datetime) -> int:
        """Labels judged at this time or later: another version of the labels than the reference was looked at with."""
        return len(self.judged) - bisect_left(self.judged, moment)

    def total(self, name: str, days: Iterable[int]) -> int:
        """Sum of one count of ``state_events`` over some days."""
        return int(self.events[name][among(self.events["day_no"], days)].sum())


def frame(engine: Engine, days: Iterable[Day]) -> None:
    """Which days the view drift_events (of :func:`views`) is of."""
    kinds = {"day_no": "integer", "start_at": "timestamptz", "end_at": "timestamptz"}
    engine.values("drift_days", kinds, [(d.no, d.start.isoformat(), d.end.isoformat()) for d in days])
    engine.file("5_drift/slots.sql")


def views(engine: Engine, *, by_day: bool) -> None:
    """The views drift_events and drift_times, of the days of :func:`frame`; ``by_day`` = their hours need not be distinguished."""
    for name in ("2_judge/answers", "5_drift/macros", "5_drift/events", "5_drift/state_times"):
        engine.file(f"{name}.sql")
    engine.options(opt_drift_by_day=by_day)


def map_events(engine: Engine) -> None:
    """drift_events -> the state of events, times and queries, by the hour and by the day."""
    for name in ("state_events", "state_hours", "state_days"):
        engine.file(f"5_drift/{name}.sql")


def value_events(engine: Engine, definition: Definition, columns: tuple[Column, ...]) -> None:
    """The view drift_values: labelled recalls without error, with v0, v1, …: the tested metrics at their depths, then the judged share."""
    values = [counted_sql(definition, column, is_error="false") for column in columns]
    values.append(f"counted_judged(judged_nonrelevant_at_k(judged, {quoted(columns[0].k)}), judged.n_relevant, is_scorable, false)")
    named = ", ".join(f"{value} as v{i}" for i, value in enumerate(values))
    engine.run(f"create or replace view drift_values as select *, {named} from drift_events where is_labelled and not is_error")


def map_quality(engine: Engine, by: dict[str, str]) -> None:
    """drift_values -> the state of quality; ``by``: further segment name -> its SQL over `recalls`."""
    keys = ["day_no", "drift_hour(h) as h", "label_no", *SEGMENTS, *(f"{sql} as {identifier(name)}" for name, sql in by.items())]
    engine.run(
        f"create or replace table state_quality as select {', '.join(keys)}, {VALUE_SUMS} from drift_values group by all",
        what="the drift state of quality",
    )


def load(engine: Engine, columns: tuple[Column, ...], by: Iterable[str], lazy: LazyTables) -> State:
    """The state tables as arrays; rows in the order of their keys, so that sums come out the same."""
    engine.file("5_drift/state_read.sql")
    values: dict[str, list[Any]] = {}
    names = [str(c) for c in (*columns, Column(JUDGED, columns[0].k))]
    segments = [*SEGMENTS, *by]
    keys = ", ".join(["day_no", "label_no", *map(identifier, segments)])
    sums = ", ".join(f"sum(n_{i})::bigint as n_{i}, sum(s_{i})::decimal(38, 12) as s_{i}" for i in range(len(names)))
    q = engine.arrow(f"select {keys}, {sums} from state_quality group by {keys} order by {keys}", what="the drift state")
    quality = Quality(
        ints(q["day_no"]),
        ints(q["label_no"]),
        {name: codes(q[name], values, name) for name in segments},
        {name: ints(q[f"n_{i}"]) for i, name in enumerate(names)},
        {name: units(q[f"s_{i}"]) for i, name in enumerate(names)},
    )
    e = engine.arrow("from drift_hours")
    events = {name: codes(e[name], values, name) if name in SEGMENTS else ints(e[name]) for name in e.column_names}
    h = engine.arrow("from drift_day_buckets")
    latency = Latency(
        ints(h["day_no"]),
        codes(h["stage"], values, "stage"),
        codes(h["query_class"], values, "query_class"),
        ints(h["bucket"]),
        ints(h["n"]),
    )
    s = engine.arrow("select day_no, h as hour, stage, n, n_good, sum_ms::double as sum_ms from state_stages order by all")
    stages: dict[str, Any] = {name: ints(s[name]) for name in ("day_no", "hour", "n", "n_good")}
    stages |= {"stage": codes(s["stage"], values, "stage"), "sum_ms": floats(s["sum_ms"])}
    rows = engine.rows(
        "select label_no, query_id, query_text, query_class, tenant_id, kind, label.n_relevant as n_relevant from labelled_queries order by label_no"
    )
    labels = {row["label_no"]: row for row in rows}
    can_judge = bool(engine.run("select count(*) from labelled_queries where len(label.documents) > label.n_relevant")[0][0])
    return State(
        engine, quality, latency, events, stages, values, columns, labels, can_judge, _judged(engine), _rejects(engine), lazy
    )


def _judged(engine: Engine) -> list[dt.datetime]:
    if "judged_at" not in engine.columns("labels"):
        return []
    return [row[0] for row in engine.run("select judged_at from labels where judged_at is not null order by judged_at")]


def _rejects(engine: Engine) -> dict[int, int]:
    """Lines that could not be read (view `source_rejects`), counted on the day of their file's first event (view `source_firsts`)."""
    bad = "select source, count(*) as n from source_rejects where reason not in ('incomplete_tail', 'other_line') group by source"
    if not engine.run(f"select 1 from ({bad}) limit 1"):  # then no file is read for its first event
        return {}
    return dict(
        engine.run(
            f"""select d.day_no, sum(n)::bigint from ({bad}) inner join source_firsts using (source)
            inner join drift_days as d on first_at >= d.start_at and first_at < d.end_at group by d.day_no"""
        )
    )


def ints(column: pa.ChunkedArray) -> Ints:
    """Whole numbers; null = 0."""
    return np.asarray(column.fill_null(0).to_numpy(), np.int64)


def floats(column: pa.ChunkedArray) -> Floats:
    """Doubles; null = nan."""
    return np.asarray(column.to_numpy(), np.float64)


def units(column: pa.ChunkedArray) -> Ints:
    """A decimal(38, 12) column as integers of 1e-12: the low word of each 128-bit value, exact up to 9 million."""
    parts: list[NDArray[np.int64]] = []
    for chunk in column.chunks:
        words = np.frombuffer(chunk.buffers()[1], np.int64).reshape(-1, 2)[chunk.offset : chunk.offset + len(chunk), 0]
        parts.append(np.where(np.asarray(chunk.is_valid()), words, 0))
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def codes(column: pa.ChunkedArray, values: dict[str, list[Any]], name: str) -> Ints:
    """Text as numbers, the same in every table: new values are appended in their sorted order; null = −1."""
    import pyarrow as pa

    known = values.setdefault(name, [])
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    texts = coded.dictionary.to_pylist()
    known.extend(sorted(set(texts) - set(known)))
    place = {value: i for i, value in enumerate(known)}
    table = np.array([place[value] for value in texts] + [-1], np.int64)
    return table[np.asarray(coded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False), np.int64)]


def _those_of(known: Sequence[Any], columns: Iterable[Ints]) -> tuple[list[Any], Ints]:
    """Of some values those that the columns' codes name, sorted; with the new code of each old one (−1 stays −1)."""
    used = np.zeros(len(known) + 1, np.bool_)
    for column in columns:
        used[column] = True
    order = sorted(np.nonzero(used[:-1])[0].tolist(), key=lambda code: known[code])
    place = np.full(len(known) + 1, -1, np.int64)
    place[order] = np.arange(len(order))
    return [known[code] for code in order], place
