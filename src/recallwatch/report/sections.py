"""What people read, as plain tables: text and markdown draw the same sections. Rounding happens here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.definition import Definition
from ..scoring.result import Evaluation
from . import match_section

WORST = 5  # queries named; the rest is in --per-query
AKA = {
    "success": "success (hit rate)",
    "all_found": "all found",
    "recall_cap": "recall capped",
    "ndcg": "nDCG",
    "mrr": "MRR",
    "map": "MAP",
    "f1": "F1",
}
LONGMEMEVAL = {"success": "recall_any", "all_found": "recall_all"}


@dataclass(frozen=True)
class Section:
    """One table with its title and notes; the first column is text, the rest are numbers unless in ``left``; ``whole`` ones never wrap."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: list[str] = field(default_factory=list)
    left: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


def sections(result: Evaluation) -> list[Section]:
    """Everything worth a look, the answer first."""
    document = result.to_dict()
    found = [_quality(document), *_slices(document), _latency(document), _worst(result, document), _warnings(document)]
    return [section for section in found if section.rows]


def headline(result: Evaluation) -> str:
    """One line: what was read."""
    counts, period = result.counts, result.head["read"]["period"]
    span = f" · {period['from'][:10]} to {period['to'][:10]} UTC" if period["from"] else ""
    return (
        f"{counts['events']:,} recalls{span} · {counts['labelled_events']:,} of them with labels · "
        f"{counts['queries_seen']:,} of {counts['labelled_queries']:,} labelled queries asked"
    )


def foot(result: Evaluation) -> list[str]:
    """Coverage, no-answer queries, cost, counts and the definition: what the numbers stand on."""
    document = result.to_dict()
    coverage, answered, cost = document["coverage"], document["answered"], document["cost"][0]
    lines = [
        f"coverage: {share(coverage['queries_asked'])} of labelled queries asked, {share(coverage['traffic_labelled'])} of recalls have labels, "
        f"{share(coverage['relevant_returned'])} of relevant documents ever returned"
    ]
    if not document["metrics"]:
        lines.insert(
            0, "no quality figures: no recall could be scored (its labels must name a relevant document, and it must carry ids)"
        )
    if judges := [f"{name} {share(part)}" for name, part, _n in match_section.judged_by(document)]:
        lines.append(f"judged by: {', '.join(judges)} of recalls with labels")
    if answered["no_answer_queries"]:
        lines.append(
            f"nothing is right: {answered['no_answer_queries']} queries, {answered['no_answer_events']:,} recalls; "
            f"{share(answered['correctly_empty'])} rightly came back empty"
        )
    if cost["n_cost"] or cost["n_cache_known"]:
        per = f"{cost['cost_usd_per_query']:.3g} USD a recall" if cost["n_cost"] else "cost not logged"
        lines.append(f"cost: {per} · cache hits: {share(cost['cache_hit_rate'])}")
    changed = {
        name: value
        for name, value in document["definition"].items()
        if name in Definition.__dataclass_fields__ and value != Definition.__dataclass_fields__[name].default
    }
    options = ", ".join(f"{name}={value}" for name, value in changed.items()) or "defaults"
    return [*lines, f"definition: {options} · fingerprint {document['definition']['fingerprint'][:12]}"]


def _quality(document: dict[str, Any]) -> Section:
    rows = [row for row in document["metrics"] if not row["segment"] and row["window"] is None]
    depths = sorted({row["k"] for row in rows}, key=lambda k: (k is None, k or 0))
    cells = {(row["metric"], row["k"]): row for row in rows}
    names = list(dict.fromkeys(row["metric"] for row in rows))
    header = ("metric", *("whole list" if k is None else f"@{k}" for k in depths))
    table = [(_name(name, document), *(_cell(cells.get((name, k))) for k in depths)) for name in names]
    table += match_section.counts_by_depth(document, depths)
    counted = max((row["n"] for row in rows), default=0)
    unit = document["definition"]["unit"]
    notes = [
        f"mean over {'recalls' if unit == 'event' else 'queries'} (n = {counted:,} recalls), "
        "95 % interval for other queries like these in brackets"
    ]
    capped = [
        f"{_name(row['metric'], document)}@{row['k']} {number(row['attainable'])}"
        for row in rows
        if row["k"] == max(d or 0 for d in depths) and (row["attainable"] or 1) < 1
    ]
    if capped:
        notes.append(f"the best possible ranking would score {', '.join(capped)}")
    clipped = [f"{_name(row['metric'], document)}@{row['k']}" for row in rows if row["truncated"]]
    if clipped:
        notes.append(f"deeper than the logged lists: {', '.join(clipped)}")
    return Section("Quality", header, table, notes)


def _name(metric: str, document: dict[str, Any]) -> str:
    names = {**AKA, **LONGMEMEVAL} if document["read"]["preset"] == "longmemeval" else AKA
    return names.get(metric, metric)


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    interval = f" [{row['ci_low']:.2f}–{row['ci_high']:.2f}]" if row["ci_low"] is not None else ""
    return f"{number(row['value'])}{interval}"


def _slices(document: dict[str, Any]) -> list[Section]:
    rows = [row for row in document["metrics"] if row["segment"] or row["window"]]
    if not rows:
        return []
    columns = _shown_columns(rows)
    groups: dict[tuple[str, ...], dict[tuple[str, Any], dict[str, Any]]] = {}
    keys = list(dict.fromkeys(name for row in rows for name in row["segment"]))
    for row in rows:
        group = ((row["window"] or "all").removesuffix("T00:00:00Z"), *(_segment(row["segment"], key) for key in keys))
        groups.setdefault(group, {})[row["metric"], row["k"]] = row
    has_windows = any(row["window"] for row in rows)
    found = {group: match_section.counts_of(cells, columns[0]) for group, cells in groups.items()}
    header = (
        *(["window (UTC)"] if has_windows else []),
        *keys,
        "recalls",
        *(f"{AKA.get(m, m)}{'' if k is None else f'@{k}'}" for m, k in columns),
        *(("relevant found", "exact found") if any(found.values()) else ()),
    )
    table = []
    for group, cells in groups.items():
        n = max(cell["n"] for cell in cells.values())
        table.append(
            (
                *(group if has_windows else group[1:]),
                f"{n:,}",
                *(number(cells[c]["value"]) if c in cells else "" for c in columns),
                *found[group],
            )
        )
    return [Section("By " + ", ".join([*(["window"] if has_windows else []), *keys]), header, table, left=("window (UTC)", *keys))]


def _segment(segment: dict[str, Any], key: str) -> str:
    return "(all)" if key not in segment else "(none)" if segment[key] is None else str(segment[key])


def _shown_columns(rows: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    deepest = max((row["k"] for row in rows if row["k"] is not None), default=None)
    every = list(dict.fromkeys((row["metric"], row["k"]) for row in rows))
    return [
        column for column in every if column[1] in (deepest, None) and column[0] in ("recall", "precision", "mrr", "ndcg")
    ] or every[:4]


def _latency(document: dict[str, Any]) -> Section:
    rows = [row for row in document["latency"] if not row["segment"] and row["window"] is None]
    has_cache = any(row["cache"] != "all" for row in rows)
    shown = [row for row in rows if row["stage"] == "total" or row["cache"] == ("miss" if has_cache else "all")]
    table = [
        (
            row["stage"] + {"all": "", "miss": ", no cache hit", "hit": ", cache hit"}[row["cache"]],
            f"{row['n']:,}",
            f"{row['n_missing']:,}",
            ms(row["p50_ms"]),
            ms(row["p95_ms"])
            + (
                f" [{ms(row['p95_ci_low_ms'])}–{ms(row['p95_ci_high_ms'])}]"
                if row["p95_ci_low_ms"] is not None and row["p95_ci_high_ms"] is not None
                else ""
            ),
            ms(row["p99_ms"]),
            ms(row["max_ms"]),
        )
        for row in shown
    ]
    kind = document["definition"]["percentile"].replace("_", " ")
    notes = [f"percentiles: {kind}, {shown[0]['percentile']}; p95 interval: {shown[0]['basis']}"] if shown else []
    return Section("Latency, ms", ("stage", "n", "missing", "p50", "p95 [95 % interval]", "p99", "max"), table, notes)


def _worst(result: Evaluation, document: dict[str, Any]) -> Section:
    """The few queries a person should look at; all of them where each query was asked for."""
    ranked = sorted(result.queries.to_pylist(), key=lambda row: (-(row["pull"] or 0), row["label_no"]))
    shown = ranked if result.per_query else [row for row in ranked if (row["pull"] or 0) > 0][:WORST]
    column = max(
        (row for row in document["metrics"] if row["metric"] == "recall"),
        key=lambda row: row["k"] or 0,
        default=next(iter(document["metrics"]), None),
    )
    name = "" if column is None else column["metric"] + ("" if column["k"] is None else f"@{column['k']}")
    header = ("query", "text", "class", "recalls", name, "pull", "found at", "never found", "a trace")
    table = [
        (
            str(row["query_id"] or row["query_text"]),
            str(row["query_text"] or "")[:40] if row["query_id"] else "",
            str(row["query_class"] or ""),
            f"{row['n']:,}",
            number(dict(row["values"] or {}).get(name)) if name else "",
            "–" if row["pull"] is None else f"{-row['pull']:+.3f}".replace("-", "−"),
            ", ".join(f"{found['document_id']} #{found['rank']}" for found in row["found"]) if result.per_query else "",
            few(row["missed_ids"], limit=None if result.per_query else 3),
            "" if result.per_query else next(iter(row["trace_ids"]), ""),
        )
        for row in shown
    ]
    title = "Queries, those that pull the mean down most first" if result.per_query else "Queries that pull the mean down most"
    kept = [at for at, _ in enumerate(header) if any(row[at] for row in table)]
    rows = [tuple(row[at] for at in kept) for row in table]
    return Section(
        title,
        tuple(header[at] for at in kept),
        rows,
        left=("text", "class", "found at", "never found", "a trace"),
        whole=("a trace", "class"),
    )


def few(ids: list[str], *, limit: int | None) -> str:
    """The first ids, and how many more there are."""
    rest = len(ids) - len(ids[:limit])
    return ", ".join(ids[:limit]) + (f" +{rest}" if rest else "")


def _warnings(document: dict[str, Any]) -> Section:
    table = [(f"{row['n']:,}", row["message"], ", ".join(str(e) for e in row["examples"][:2])) for row in document["warnings"]]
    return Section("Worth knowing", ("n", "what", "for example"), table, left=("what", "for example"))


def number(value: float | None) -> str:
    """A ratio with three digits; a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def share(value: float | None) -> str:
    """A ratio as per cent."""
    return "–" if value is None else f"{100 * value:.0f} %" if value in (0, 1) or 0.1 <= value <= 0.9 else f"{100 * value:.1f} %"


def ms(value: float | None) -> str:
    """Milliseconds with three significant digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
