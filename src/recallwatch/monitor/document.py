"""A drift result for people: the headline, then what moved, then where, then what was compared. Reads the JSON, so it knows no more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.verdicts import FAMILIES, MOVED
from ..document.model import DIFFERENCE, NAME, TEXT, VERDICT, Column, Document, Section
from ..document.numbers import ms, plural, query_name, ratio, share, significant
from ..report.finding_rows import by_window, cause_text, finding_name, listed, rank
from ..report.night import short
from ..scoring.columns import segment_name
from ..scoring.document import apart, column_name, few
from ..scoring.funnel import section

SHOWN, IDS = 8, 4  # entries of a finding, ids of a query
WINDOWS = (Column("window", NAME), Column("verdict", VERDICT), *(Column(family, VERDICT) for family in FAMILIES))
FINDINGS = (Column("family", NAME), Column("what", NAME), Column("verdict", VERDICT), Column("state", TEXT), Column("why", TEXT))
PARTS = ("total", "class_mix", "query_mix", "within", "entry_exit")

Row = Mapping[str, Any]


def document_of(result: Row) -> Document:
    """The document of what ``Drift.to_dict`` returns."""
    windows = [(row["at"], row["verdict"], *(row[family] for family in FAMILIES)) for row in by_window(result)]
    findings = [tuple(row[column.name] for column in FINDINGS) for row in listed(result["findings"])]
    moved = [
        Section(f"Where {finding_name(row)} moved", notes=[_where(entry) for entry in row["where"][:SHOWN]])
        for row in _gravest(result["findings"])
    ]
    parts = [(column_name(row), *(row[part] for part in PARTS)) for row in result["decomposition"]]
    columns = (Column("metric", NAME), *(Column(part.replace("_", " "), DIFFERENCE) for part in PARTS))
    return Document(
        short(result["headline"]),
        [
            Section("Windows", WINDOWS, windows).filled(),
            *([Section("Likely causes", notes=[cause_text(row) for row in result["causes"]])] if result["causes"] else ()),
            Section("Findings", FINDINGS, findings),
            *moved,
            section(result["funnel"]),
            Section("What moved the mean", columns, parts),
        ],
        _notes(result),
        result["verdict"],
        [f"{side}: {_window(result[side])}" for side in ("reference", "current")],
    )


def _gravest(rows: Sequence[Row]) -> list[Row]:
    """The gravest finding of each family that says where; the JSON has all of them."""
    gravest: list[Row] = []
    for family in FAMILIES:
        located = [row for row in rows if row["family"] == family and row["verdict"] in MOVED and row["where"]]
        gravest += sorted(located, key=rank)[:1]
    return gravest


def _window(window: Row) -> str:
    size = f"{plural(window['events'], 'recall')}, {plural(window['days'], 'day')}"
    return f"{short(str(window['from']))} to {short(str(window['to']))}, {size}" if window["from"] else size


def _notes(result: Row) -> list[str]:
    points = [
        f"change point: {point['metric']} from {short(point['at'])} on, {ratio(point['before'])} → {ratio(point['after'])}"
        for point in result.get("change_points", ())
    ]
    return points + [f"note: {short(note)}" for note in result.get("notes", ())]


def _where(row: Row) -> str:
    """One entry of ``where`` as a line."""
    return {"segment": _segment, "query": _query, "document": _lost, "stage": _stage, "event": _event, **OF_ANSWERS}.get(
        row["kind"], _hour
    )(row)


def _segment(row: Row) -> str:
    name = segment_name(row["segment"])
    if "share_of_change" in row:
        return f"{name}: {share(row['share_of_change'])} of the change, {share(row['share_of_traffic'])} of the traffic"
    return f"{name}: {share(row['reference'])} → {share(row['current'])} of the traffic"


def _query(row: Row) -> str:
    lost = ", ".join(f"{d['document_id']} ({d['from_rank']} → {d['to_rank'] or 'gone'})" for d in row["lost"][:4])
    change = f"{ratio(row['reference'])} → {ratio(row['current'])}"
    return f"query {query_name(row)}: {change}{f'; lost {lost}' if lost else ''}"


def _lost(row: Row) -> str:
    return f"document {row['document_id']}: lost by {plural(row['queries'], 'query', 'queries')}{', no longer returned' if row['is_gone'] else ''}"


def _answer(row: Row) -> str:
    ids = [f"{sign} {few(some, limit=IDS)}" for sign, some in zip("−+", apart(row["before"], row["after"]), strict=True) if some]
    return f"query {query_name(row)}: overlap {ratio(row['overlap'])} ({plural(row['n_current'], 'recall')}); {'; '.join(ids)}"


def _gone(row: Row) -> str:
    shown = f"{plural(row['n'], 'recall')} of {plural(row['n_queries'], 'query', 'queries')}, {plural(row['n_windows'], 'window')}"
    return f"document {row['document_id']} is gone: shown before in {shown}, {share(row['share'])} of the lists"


def _new(row: Row) -> str:
    return f"document {row['document_id']} is new: shown in {plural(row['n'], 'recall')}, {share(row['share'])} of the lists"


OF_ANSWERS = {"answer": _answer, "gone": _gone, "new": _new}


def _stage(row: Row) -> str:
    part = f", {share(row['share_of_change'])} of the change" if row["share_of_change"] is not None else ""
    return f"{row['stage']}: mean {significant(row['reference_ms'], 4)} → {significant(row['current_ms'], 4)} ms{part}"


def _event(row: Row) -> str:
    trace = f" (trace {row['trace_id']})" if row["trace_id"] else ""
    return f"slow event {row['event_id']}: {ms(row['ms'])} ms{trace}"


def _hour(row: Row) -> str:
    return f"{row['hour']}: {row['n']} cases"
