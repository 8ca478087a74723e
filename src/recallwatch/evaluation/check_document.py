"""The document of `check`: files and formats, columns, anomalies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.model import COUNT, NAME, TEXT, VERDICT, Column, Document, Section
from ..document.numbers import plural, ratio

PASTE = "A profile to start from. Save it as ours.toml, mend it, and look again: recallwatch check LOGS --profile ours.toml"
REASONS, EXAMPLES = 5, 5  # shown; the JSON has all


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of a check, from its JSON."""
    read = result["read"]
    spans = f"{read['spans']:,} spans ({read['repeated_spans']:,} duplicates), " if read["spans"] else ""
    recalls = f"{plural(read['events'], 'recall')}, {plural(read['rejected'], 'record')} rejected"
    recalls += f", {plural(read['other_lines'], 'other line')}" if read.get("other_lines") else ""
    return Document(
        f"{spans}{recalls} · labels: {read['labels'] or 'none'}",
        [_columns(result), _findings(result)],
        [*_chance(result), *([PASTE] if "profile" in result else [])],
        paste=result.get("profile", ""),
        lead=[
            *(f"{plural(row['files'], 'file')} read as {row['format']} ({row['meaning']})" for row in read["formats"]),
            *([f"records stand {read['records']} of each line"] if "records" in read else []),
            *(f"{row['n']:,} × {row['reason']}, first at {row['where']} ({row['excerpt']!r})" for row in read["rejects"][:REASONS]),
        ],
    )


def _columns(result: Mapping[str, Any]) -> Section:
    rows = [
        (row["column"], f"{row['n_filled']:,} of {row['n']:,}", ", ".join(row["paths"]) or "the format itself")
        for row in result["columns"]
    ]
    return Section("Columns", [Column("column", NAME), Column("filled"), Column("from", TEXT)], rows)


def _findings(result: Mapping[str, Any]) -> Section:
    if not result["findings"]:
        return Section("Findings", notes=["nothing odd"])
    rows = [
        (row["severity"], row["n"], row["message"], ", ".join(map(str, row["examples"][:EXAMPLES]))) for row in result["findings"]
    ]
    columns = [Column("", VERDICT), Column("n", COUNT), Column("what", TEXT), Column("for example", TEXT)]
    return Section("Findings", columns, rows).filled()


def _chance(result: Mapping[str, Any]) -> list[str]:
    levels = ", ".join(f"@{row['k']} {ratio(row['expected_recall'])}" for row in result["chance"])
    return [f"a random ranking would have recall {levels}"] if levels else []
