"""What a lift says to people: what the reranker adds, and who loses relevant documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.model import COUNT, DIFFERENCE, NAME, RATIO, RATIO4, TEXT, Document, Section, between, heads
from ..document.numbers import plural, signed
from ..scoring.document import column_name
from ..scoring.funnel import section
from ..scoring.unlabelled import NEXT_STEP, NO_LABELS

SHOWN = 10  # lost documents


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of a lift, from its JSON."""
    c = result["counts"]
    if "moved" in result:
        headline = f"{c['n_events']:,} of {c['n_recalls']:,} recalls compared: candidates against the list handed out · {NO_LABELS}"
        return Document(headline, [_moved(result["moved"])], [_left_out(c), NEXT_STEP])
    headline = f"{c['n_events']:,} of {c['n_labelled']:,} labelled recalls compared: candidates against the list handed out"
    notes = [_left_out(c)]
    if c["n_outside"]:
        notes.append(f"{plural(c['n_outside'], 'recall')} returned ids that were no candidates")
    return Document(headline, [_gains(result["metrics"]), section(result["funnel"]), _lost(result["lost"])], notes)


def _left_out(c: Mapping[str, int]) -> str:
    return f"left out: {plural(c['n_without_candidates'], 'recall')} without candidate_ids, {plural(c['n_errors'], 'error')}"


def _moved(rows: Sequence[Mapping[str, Any]]) -> Section:
    names = ("overlap", "from_below", "same_first", "rbo")
    columns = heads(("segment", NAME), ("k", COUNT), *((name.replace("_", " "), RATIO) for name in names), ("n", COUNT))
    table = [(_segment(row), row["k"], *(row[name] for name in names), row["n"]) for row in rows]
    note = "overlap: documents that both lists have in their first k; from below: share of the final first k that the search had lower, or not at all"
    return Section("What the reranker moved", columns, table, [note]).filled()


def _segment(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row["segment"].items())


def _gains(rows: Sequence[Mapping[str, Any]]) -> Section:
    columns = heads(
        ("segment", NAME),
        ("metric", NAME),
        ("candidates", RATIO4),
        ("final", RATIO4),
        ("lift", DIFFERENCE),
        ("95 % interval", between(signed)),
        ("ceiling", RATIO4),
        ("n", COUNT),
    )
    table = [
        (
            _segment(row),
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
    columns = heads(
        ("query", NAME),
        ("text", TEXT),
        ("document", NAME),
        ("recalls", COUNT),
        ("lost by search", COUNT),
        ("lost by reranker", COUNT),
    )
    names = ("query_id", "query_text", "document_id", "n", "n_not_retrieved", "n_reranked_out")
    table = [tuple(row[name] for name in names) for row in rows[:SHOWN]]
    title = "Relevant documents lost: by the search (never a candidate), by the reranker (a candidate, not returned)"
    notes = [f"and {len(rows) - SHOWN:,} more, see -f json"] if len(rows) > SHOWN else []
    return Section(title, columns, table, notes).filled()
