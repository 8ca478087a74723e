"""What the page says besides its charts: rows for the template, each cell (shown, value to sort by)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.verdicts import MOVED, place
from ..document.model import COUNT, LINK, MS, NAME, RATIO, SHARE, TEXT, Column, Section, between, heads
from ..document.numbers import plural, query_name, share, usd
from ..document.numbers import ratio as number
from ..scoring import matched, questions, unlabelled
from ..scoring.columns import headline_columns
from ..scoring.document import CACHE, apart, changed_options, column_name, few, whole, within
from ..scoring.funnel import section as losses
from ..scoring.unlabelled import NEXT_STEP, NO_LABELS, is_unlabelled
from .finding_rows import by_window, cause_text, listed
from .night import Night, short, trace_link

WORST, GONE = 25, 50  # queries, documents; the JSON has all
CAUSES = 2  # shown under the first sentence; the JSON has all
GLYPHS = {"fail": "▼", "warn": "!", "insufficient": "?", "improved": "▲", "ok": "✓", "": "·"}
COUNTS = {
    "questions": "questions",
    "events": "recalls",
    "labelled_events": "with labels",
    "unlabelled_events": "without labels",
    "error_events": "failed",
    "empty_rankings": "came back empty",
    "duplicate_events": "duplicate events",
    "rejected_lines": "lines that could not be read",
    "labelled_queries": "queries with labels",
    "queries_missing": "of them never asked",
    "queries_without_relevant": "no-answer queries",
}


def facts(night: Night) -> list[str]:
    """What was read, in a line."""
    counts, period = night.evaluation["counts"], night.evaluation["read"]["period"]
    labelled = [
        f"{counts['labelled_events']:,} with labels",
        f"{counts['queries_seen']:,} of {counts['labelled_queries']:,} labelled queries asked",
    ]
    lines = [questions.size_of(night.evaluation), *([NO_LABELS] if is_unlabelled(night.evaluation) else labelled)]
    if period["from"]:
        lines.append(f"{period['from'][:10]} to {period['to'][:10]} {night.timezone}")
    if night.drift:
        days = plural(night.drift["reference"]["days"], "day")
        lines.append(f"judged: the window of {short(night.drift['current']['from'])}, against {days}")
    return lines


def notes(night: Night) -> list[str]:
    """What a reader must know before the numbers, but for what the first sentence says."""
    next_step = [NEXT_STEP] if is_unlabelled(night.evaluation) else []
    return [short(note) for note in (*night.notes, *next_step) if note not in night.headline]


def causes(night: Night) -> list[str]:
    """Why it got worse, as far as the log shows it: the likeliest causes, each a sentence."""
    rows = [row for row in (night.drift or {}).get("causes") or [] if row["cause"] != "unknown"]
    return [f"Likely cause: {cause_text(row)}" for row in rows[:CAUSES]]


def gates(night: Night) -> list[dict[str, Any]]:
    """Every gate, those that fail first."""
    return [dict(gate) for gate in sorted(night.gates, key=lambda gate: place(gate["verdict"]))]


def findings(night: Night) -> list[dict[str, Any]]:
    """What moved; then what could not be tested; one line a family for the rest."""
    return sorted(listed((night.drift or {}).get("findings") or []), key=lambda row: place(row["verdict"]))


def strip(night: Night) -> list[dict[str, Any]]:
    """Windows x families, as verdicts."""
    return by_window(night.drift or {})


def losers(night: Night) -> list[dict[str, Any]]:
    """Queries that carry the newest quality change: ids lost with the ranks they fell from, example traces."""
    every = (night.drift or {}).get("findings") or []
    first = next((f for f in every if f["family"] == "quality" and f["verdict"] in MOVED and f.get("where")), None)
    if first is None:
        return []
    rows = [row for row in first["where"] if row["kind"] == "query"]
    return [
        {
            **_named(night, row, rows),
            "text": (row["query_text"] or "") if row["query_id"] else "",
            "class": row["query_class"] or "",
            "before": number(row["reference"]),
            "after": number(row["current"]),
            "values": (row["reference"], row["current"]),
            "lost": ", ".join(f"{d['document_id']} ({rank(d['from_rank'])} → {rank(d['to_rank'])})" for d in row["lost"][:8]),
            "traces": [trace(night, one) for one in row["trace_ids"][:3]],
        }
        for row in rows
    ]


def _named(night: Night, row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a row calls its query, with its tenant where rows of several have that name; the place that explains it; id or text, and tenant."""
    name = row["query_id"] or row["query_text"]
    is_shared = len({one["tenant_id"] for one in rows if (one["query_id"] or one["query_text"]) == name}) > 1
    return {"query": query_name(row) if is_shared else name, "place": night.place(row), "asked": (str(name), row["tenant_id"])}


def changed(night: Night) -> Section:
    """The most asked queries of the newest window that got another answer: the usual lists before and after."""
    rows = [row for row in behind(night, "overlap") if row["kind"] == "answer"]
    lists = ((name, TEXT) for name in ("before", "after", "no longer", "instead"))
    columns = heads(("query", LINK), ("text", TEXT), ("class", NAME), ("recalls", COUNT), ("overlap", RATIO), *lists)
    table = [
        (
            tuple(_named(night, row, rows)[part] for part in ("query", "place")),
            (row["query_text"] or "") if row["query_id"] else "",
            row["query_class"] or "",
            row["n_current"],
            row["overlap"],
            *(", ".join(row[side]) or "nothing" for side in ("before", "after")),
            *map(", ".join, apart(row["before"], row["after"])),
        )
        for row in rows
    ]
    return Section("Queries with another answer, those that changed most recalls first", columns, table).filled()


def carried(night: Night) -> Section:
    """What these labels can carry: how much is judged, by whom, how wide the headline's interval is, and would be with 20 more queries."""
    labels = night.evaluation.get("labels")
    if labels is None:
        return Section("", [Column("", TEXT)], [])
    width = (f"{number(labels[name])}" for name in ("width", "width_20_more"))
    name = column_name({**labels, "kinds": None})
    rows = [
        (f"{questions.unit_of(night.evaluation)} that have labels", share(night.evaluation["coverage"]["traffic_labelled"])),
        *([(f"judged among the first {labels['k']}", share(labels["judged"]))] if labels["judged"] is not None else []),
        (f"labelled queries behind {name}", f"{labels['n_queries']:,}, which weigh like {labels['n_effective']:.0f}"),
        *(
            (f"width of its 95 % interval{what}", shown)
            for what, shown in zip((" now", " with 20 more queries"), width, strict=True)
        ),
        *(
            (
                f"labels of kind {row['kind']}{' by ' + row['supplier'] if row['supplier'] else ''}",
                f"{row['n_labels']:,}, of {plural(row['n_queries'], 'query', 'queries')}",
            )
            for row in labels["suppliers"]
        ),
    ]
    note = "recallwatch suggest-labels names the queries to label next, labels plan says how many are enough"
    return Section("What these labels can carry", [Column("what", NAME), Column("how much", TEXT)], rows, [note])


def gone(night: Night) -> Section:
    """Documents that three earlier windows or more showed for queries still asked, and the newest one does not."""
    rows = behind(night, "documents_gone") or [row for row in behind(night, "overlap") if row["kind"] == "gone"]
    names = ("n", "n_queries", "n_windows")
    columns = heads(
        ("document", NAME),
        *((name, COUNT) for name in ("recalls that showed it", "queries", "windows")),
        ("part of the lists", SHARE),
    )
    table = [(row["document_id"], *(row[name] for name in names), row["share"]) for row in rows[:GONE]]
    notes = [f"and {len(rows) - GONE:,} more, see report.json"] if len(rows) > GONE else []
    return Section("Documents gone, and how often they were shown in the windows before", columns, table, notes)


def funnel(night: Night) -> Section:
    """Where relevant documents are lost, before and now; without rows where quality did not move, or no list before the final one is logged."""
    return losses((night.drift or {}).get("funnel") or [])


def behind(night: Night, metric: str) -> list[dict[str, Any]]:
    """What is behind a finding of answers that moved."""
    return [
        dict(row)
        for finding in (night.drift or {}).get("findings") or []
        if finding["family"] == "answers" and finding["metric"] == metric and finding["verdict"] in MOVED
        for row in finding["where"]
    ]


def shown(night: Night) -> list[Section]:
    """What the searches of a question brought; what a log without labels says of its lists."""
    return [*questions.sections(night.evaluation, night.sides.get("questions", [])), *unlabelled.shown(night.evaluation)]


def rank(value: int | None) -> str:
    """A rank, or that it is no longer there."""
    return "gone" if value is None else f"#{value}"


def trace(night: Night, trace_id: str) -> tuple[str, str | None]:
    """A trace id with its link, where a template is configured."""
    return trace_id, trace_link(night.trace_url, trace_id)


def worst(night: Night) -> list[dict[str, Any]]:
    """Queries that pull the mean down most over everything read."""
    name = next(iter(headline_columns(night.evaluation)), None)  # None: no recall could be scored
    rows = [
        row
        for row in night.evaluation.get("queries", [])
        if (row["values"] or {}).get(name) is not None and row["values"][name] < 1
    ]
    ranked = sorted(rows, key=lambda row: (row["values"][name], -row["n"]))[:WORST]
    return [
        {
            **_named(night, row, ranked),
            "text": (row["query_text"] or "") if row["query_id"] else "",
            "class": row["query_class"] or "",
            "n": (f"{row['n']:,}", row["n"]),
            "value": (number(row["values"][name]), row["values"][name]),
            "missed": few(row["missed_ids"], limit=8),
            "traces": [trace(night, one) for one in row["trace_ids"][:2]],
        }
        for row in ranked
    ]


def quality(night: Night) -> Section:
    """Every metric over everything read."""
    columns = heads(
        ("metric", NAME),
        ("value", RATIO),
        ("95 % interval", between(number)),
        *((name, RATIO) for name in ("by query", "attainable")),
        *((name, COUNT) for name in (questions.unit_of(night.evaluation), "queries")),
    )
    names = ("value_by_query", "attainable", "n", "n_queries")
    rows = [
        (column_name(row), row["value"], (row["ci_low"], row["ci_high"]), *(row[name] for name in names))
        for row in whole(night.evaluation["metrics"])
    ]
    return Section("", columns, rows)


def label_health(night: Night) -> list[tuple[str, str]]:
    """How much of the traffic the labels cover; nothing where there are none."""
    if is_unlabelled(night.evaluation):
        return []
    coverage, answered = night.evaluation["coverage"], night.evaluation["answered"]
    asked = questions.unit_of(night.evaluation)
    rows = [
        ("labelled queries that were asked", share(coverage["queries_asked"])),
        (f"{asked} whose query has labels", share(coverage["traffic_labelled"])),
        (f"relevant documents returned within {within(coverage['k'])}", share(coverage["relevant_returned"])),
    ]
    rows += [(f"{asked} judged by {name}", share(part)) for name, part, _n in matched.judged_by(night.evaluation)]
    rows += matched.counts_at_highest_k(night.evaluation)
    if answered["no_answer_queries"]:
        rows.append(
            (
                f"{asked} of no-answer queries ({answered['no_answer_events']:,}) that correctly returned nothing",
                share(answered["correctly_empty"]),
            )
        )
    return rows


def counts(night: Night) -> list[tuple[str, str]]:
    """Counts people ask for, by name."""
    seen = night.evaluation["counts"]
    return [(label, f"{seen[name]:,}") for name, label in COUNTS.items() if seen.get(name) is not None]


def definition(night: Night) -> list[tuple[str, str]]:
    """Every option in force that is not the default, or that all are."""
    chosen = night.evaluation["definition"]
    changed = [(name, str(value)) for name, value in changed_options(chosen).items()]
    cost = next(iter(whole(night.evaluation["cost"])), None)
    rows = changed or [("options", "defaults")]
    rows += [
        ("percentiles", f"{chosen['percentile'].replace('_', ' ')}"),
        ("fingerprint", chosen["fingerprint"]),
        ("state key", night.evaluation["state_key"]),
    ]
    if cost and cost["n_cost"]:
        rows.append(("cost", usd(cost["cost_usd_per_query"])))
    return rows


def latency_now(night: Night) -> Section:
    """Stages over everything read, for a page without windows."""
    columns = [
        Column("stage", NAME),
        *(Column(f"{name} ms", MS) for name in ("p50", "p95", "p99", "max")),
        *(Column(name, COUNT) for name in ("recalls", "missing")),
    ]
    names = ("p50_ms", "p95_ms", "p99_ms", "max_ms", "n", "n_missing")
    rows = [(row["stage"] + CACHE[row["cache"]], *(row[name] for name in names)) for row in whole(night.evaluation["latency"])]
    return Section("", columns, rows)
