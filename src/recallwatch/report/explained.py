"""What an explanation says to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document.model import COUNT, FIGURE, LINK, MS, NAME, RATIO, SHARE, SIZE, TEXT, Document, Section, heads
from ..document.numbers import plural, ratio, significant

SHOWN, RANKED = 10, 5  # rows of a table; documents with a column of their own
# reason of 6_report/explain.sql -> a sentence of it
REASONS = {
    "the recall failed": "the recall failed",
    "deeper than k": "returned, deeper than k",
    "dropped between stages": "last in the list of {held_by}, and dropped by a stage after it",
    "candidate, cut": "a candidate, but below the end of the list",
    "candidate, reranked out": "a candidate that the reranker left out",
    "no candidate": "other recalls have it; here it was no candidate",
    "not returned": "other recalls have it; here it was not returned (no candidates are logged)",
    "in no list of the version": "in no list of any query under index version {versions}: not indexed there, or no query reaches it",
    "in no list": "in no list of any query: not indexed, under another id, or no query reaches it",
    "in no list since": "in no list of any query since {last}: gone from the index, under a new id, or no query reaches it",
    "in no list yet": "in no list of any query before {first}",
}


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of an explanation, from its JSON."""
    k, sides = result["asked"]["k"], result["sides"]
    sections = [_documents(result), _instead(result), _windows(result), _stages(result), _recalls(result)]
    lead = [
        f"{'' if side['side'] == 'all' else side['side'] + ': '}{plural(side['n'], 'recall')}, {_moment(side['first_at'])} to {_moment(side['last_at'])}"
        for side in sides
    ]
    tenants = [str(query["tenant_id"] or "(none)") for query in result["queries"]]
    if len(set(tenants)) > 1:
        lead.append(
            f"The queries of this name of {len(set(tenants))} tenants together: {', '.join(dict.fromkeys(tenants))}. "
            "One alone: --where \"tenant_id = '…'\"."
        )
    return Document(
        _headline(result),
        sections,
        [
            f"returned = in the first k = {k} ranks; score gap = from its score to that of the last document that was let through, the median"
        ],
        lead=lead,
    )


def _headline(result: Mapping[str, Any]) -> str:
    k, sides = result["asked"]["k"], result["sides"]
    query = result["queries"][0]
    text = query["query_text"] if query["query_text"] != query["query_id"] else None
    tenant = result["asked"].get("tenant_id")
    name = " ".join(filter(None, (tenant and f"{tenant}:", query["query_id"], text and f'"{text}"')))
    if not sides or all(side["recall"] is None for side in sides):
        return f"{name}: no label says which documents are expected"
    values = " → ".join(ratio(side["recall"]) for side in sides)
    row = max((row for row in result["documents"] if row["side"] == sides[-1]["side"]), key=_n_missing, default=None)
    if row is None or not _n_missing(row):
        return f"{name}: recall@{k} {values}; every expected document comes back each time"
    missing = f"{row['document_id']} is missing from {_n_missing(row):,} of {plural(row['n'], 'recall')}"
    return f"{name}: recall@{k} {values}; {missing}: {_sentence(row)}"


def _moment(moment: str | None) -> str:
    return (moment or "")[:16].replace("T", " ")


def _sentence(row: Mapping[str, Any]) -> str:
    if row["reason"] is None:
        return ""
    text = REASONS[row["reason"]].format(
        last=_moment(row["last_seen_at"]),
        first=_moment(row["first_seen_at"]),
        versions=", ".join(row["versions"] or ()),
        held_by=row["held_by"],
    )
    return text if row["n_reason"] == _n_missing(row) else f"{text} (in {row['n_reason']:,} of {_n_missing(row):,})"


def _n_missing(row: Mapping[str, Any]) -> int:
    n: int = row["n"] - row["n_returned"]
    return n


def _documents(result: Mapping[str, Any]) -> Section:
    columns = heads(
        ("expected", NAME),
        ("side", NAME),
        ("recalls", COUNT),
        ("returned", COUNT),
        ("best rank", COUNT),
        ("best among candidates", COUNT),
        ("score gap", SIZE),
        ("why not", TEXT),
    )
    names = ("document_id", "side", "n", "n_returned", "best_rank", "best_candidate_rank", "median_score_gap")
    rows = sorted(result["documents"], key=lambda row: (row["document_id"], row["side"] == "after"))
    table = [(*("" if row[name] in ("all", None) else row[name] for name in names), _sentence(row)) for row in rows]
    return Section("Expected documents", columns, table).filled()


def _instead(result: Mapping[str, Any]) -> Section:
    """Of the last side; where there are two, with the share it had before."""
    sides = [side["side"] for side in result["sides"]]
    columns = heads(
        ("document", NAME), ("recalls", COUNT), ("share", SHARE), ("share before", SHARE), ("best rank", COUNT), ("label", NAME)
    )
    before = {row["document_id"]: row["share"] for row in result["instead"] if row["side"] == "before"}
    rows = [row for row in result["instead"] if sides and row["side"] == sides[-1]]
    table = [
        (
            row["document_id"],
            row["n"],
            row["share"],
            before.get(row["document_id"], 0.0) if len(sides) > 1 else "",
            row["best_rank"],
            "not relevant" if row["is_judged"] else "none",
        )
        for row in rows[:SHOWN]
    ]
    return Section("Not expected, and in the first k" + (" (after)" if len(sides) > 1 else ""), columns, table).filled()


def _windows(result: Mapping[str, Any]) -> Section:
    """Each UTC day, with the median rank of each expected document."""
    k = result["asked"]["k"]
    ids = sorted({row["document_id"] for row in result["ranks"]})[:RANKED]
    ranks = {(row["day_utc"], row["document_id"]): row for row in result["ranks"]}
    columns = heads(
        ("day, UTC", NAME),
        ("recalls", COUNT),
        (f"recall@{k}", RATIO),
        ("MRR", RATIO),
        *((f"rank of {one}", FIGURE) for one in ids),
        ("p50, ms", MS),
        ("errors", COUNT),
        ("empty", COUNT),
        ("index", NAME),
    )
    rows = [
        (
            w["day_utc"],
            w["n"],
            w["recall"],
            w["mrr"],
            *(_rank(ranks.get((w["day_utc"], one))) for one in ids),
            w["p50_ms"],
            w["n_errors"] or "",
            w["n_empty"] or "",
            ", ".join(w["index_versions"] or ()),
        )
        for w in result["windows"]
    ]
    notes = ["rank: the median, – = in no list; (2 of 3) = in the first k of so many recalls"] if ids else []
    return Section("Day by day", columns, rows, notes).filled()


def _rank(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    rank = "–" if row["median_rank"] is None else significant(row["median_rank"])
    return rank if row["n_returned"] == row["n"] else f"{rank} ({row['n_returned']:,} of {row['n']:,})"


def _stages(result: Mapping[str, Any]) -> Section:
    columns = heads(("stage", NAME), ("side", NAME), ("n", COUNT), ("p50, ms", MS), ("p95, ms", MS), ("max, ms", MS))
    names = ("stage", "side", "n", "p50_ms", "p95_ms", "max_ms")
    return Section(
        "Times", columns, [tuple(row[name] if row[name] != "all" else "" for name in names) for row in result["stages"]]
    ).filled()


def _recalls(result: Mapping[str, Any]) -> Section:
    """The recall that was named, or the newest; each expected document with its rank."""
    rows: Sequence[Mapping[str, Any]] = [r for r in result["recalls"] if r["is_named"]] or result["recalls"][:5]
    columns = heads(
        ("recall", NAME), ("time, UTC", NAME), ("trace", LINK), ("expected at rank", TEXT), ("ms", MS), ("list", FIGURE)
    )
    table = [
        (
            r["event_id"],
            _moment(r["timestamp"]),
            (r["trace_id"], r["trace_url"]),
            ", ".join(map(_place, r["expected"] or ())),
            r["total_ms"],
            f"{len(r['ranked_ids'] or ()):,} ids",
        )
        for r in rows[:SHOWN]
    ]
    return Section("The recall" if len(table) == 1 else "Recalls, the newest first", columns, table).filled()


def _place(row: Mapping[str, Any]) -> str:
    return f"{row['document_id']} {row['rank'] or '—'}" + (f" (candidate {row['candidate_rank']})" if row["candidate_rank"] else "")
