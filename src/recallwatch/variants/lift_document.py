"""What a lift says to people: what the reranker adds, and who loses relevant documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.model import COUNT, DIFFERENCE, NAME, RATIO4, TEXT, Column, Document, Section, between
from ..document.numbers import plural, signed
from ..scoring.document import column_name

SHOWN = 10  # lost documents


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of a lift, from its JSON."""
    c = result["counts"]
    headline = f"{c['n_events']:,} of {c['n_labelled']:,} labelled recalls compared: candidates against the list handed out"
    notes = [f"left out: {plural(c['n_without_candidates'], 'recall')} without candidate_ids, {plural(c['n_errors'], 'error')}"]
    if c["n_outside"]:
        notes.append(f"{plural(c['n_outside'], 'recall')} returned ids that were no candidates")
    return Document(headline, [_gains(result["metrics"]), _lost(result["lost"])], notes)


def _gains(rows: Sequence[Mapping[str, Any]]) -> Section:
    columns = [
        Column("segment", NAME),
        Column("metric", NAME),
        Column("candidates", RATIO4),
        Column("final", RATIO4),
        Column("lift", DIFFERENCE),
        Column("95 % interval", between(signed)),
        Column("ceiling", RATIO4),
        Column("n", COUNT),
    ]
    table = [
        (
            ", ".join(f"{name}={value}" for name, value in row["segment"].items()),
            column_name(row),
            *(row[name] for name in ("candidates", "final", "lift")),
            (row["ci_low"], row["ci_high"]),
            row["ceiling"],
            row["n"],
        )
        for row in rows
    ]
    return Section("Lift of the reranker", columns, table, ["ceiling: the best order of the same candidates"]).filled()


def _lost(rows: Sequence[Mapping[str, Any]]) -> Section:
    columns = [
        Column("query", NAME),
        Column("text", TEXT),
        Column("document", NAME),
        Column("recalls", COUNT),
        Column("lost by search", COUNT),
        Column("lost by reranker", COUNT),
    ]
    names = ("query_id", "query_text", "document_id", "n", "n_not_retrieved", "n_reranked_out")
    table = [tuple(row[name] for name in names) for row in rows[:SHOWN]]
    title = "Relevant documents lost: by the search (never a candidate), by the reranker (a candidate, not returned)"
    notes = [f"and {len(rows) - SHOWN:,} more, see -f json"] if len(rows) > SHOWN else []
    return Section(title, columns, table, notes).filled()
