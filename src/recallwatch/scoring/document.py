"""The document of an evaluation: quality, segments, latency, worst queries, notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.definition import Column as Measure
from ..base.definition import Definition, rests_on
from ..base.metrics import label_of
from ..document.model import COUNT, DIFFERENCE, MS, NAME, RATIO, RATIO4, TEXT, Column, Document, Section, heads
from ..document.numbers import ms, plural, ratio, share, signed, usd, with_interval
from . import all_traffic, matched, questions
from .unlabelled import NEXT_STEP, NO_LABELS, is_unlabelled, shown

WORST = 5  # queries named; the rest is in --per-query
SHOWN = 60  # characters of a query's text; the JSON has it whole
CACHE = {"all": "", "miss": ", no cache hit", "hit": ", cache hit"}
Row = Mapping[str, Any]


def document_of(result: Mapping[str, Any], queries: Sequence[Row], *, per_query: bool) -> Document:
    """The document of an evaluation.

    Args:
        result: its JSON.
        queries: one row a labelled query, with its ``pull`` on the mean.
        per_query: whether each query is shown, and not only those that pull the mean down most.
    """
    sections = [
        _quality(result),
        *all_traffic.sections(result),
        *_segments(result),
        *questions.sections(result),
        *shown(result),
        _latency(result),
        _queries(result, queries, per_query=per_query),
        _warnings(result),
    ]
    if "relabelled" in result:
        sections.append(relabelled(result["relabelled"]))
    return Document(_headline(result), sections, _notes(result))


def _headline(result: Mapping[str, Any]) -> str:
    counts, period = result["counts"], result["read"]["period"]
    days = f" · {period['from'][:10]} to {period['to'][:10]} UTC" if period["from"] else ""
    where = f" · where {result['read']['where']}" if "where" in result["read"] else ""
    size = f"{questions.size_of(result)}{days}{where}"
    if is_unlabelled(result):
        return f"{size} · {NO_LABELS}"
    return (
        f"{size} · {counts['labelled_events']:,} of them with labels · "
        f"{counts['queries_seen']:,} of {counts['labelled_queries']:,} labelled queries asked"
    )


def _notes(result: Mapping[str, Any]) -> list[str]:
    """Coverage, no-answer queries, cost, counts and the definition behind the numbers."""
    coverage, answered, cost = result["coverage"], result["answered"], result["cost"][0]
    asked = questions.unit_of(result)
    lines = []
    if is_unlabelled(result):
        lines.append(NEXT_STEP)
    elif not result["metrics"]:
        lines.append(
            "no quality figures: no recall could be scored (its labels must name a relevant document, and it must carry ids)"
        )
    if not is_unlabelled(result):
        lines.append(_coverage(coverage, asked))
    if "kinds" in result:
        lines.append(f"labels: {', '.join(map(_of_kind, result['kinds']))}")
    if judges := [f"{name} {share(part)}" for name, part, _n in matched.judged_by(result)]:
        lines.append(f"judged by: {', '.join(judges)} of {asked} with labels")
    if answered["no_answer_queries"]:
        lines.append(
            f"no-answer queries: {answered['no_answer_queries']:,} ({answered['no_answer_events']:,} {asked}); "
            f"{share(answered['correctly_empty'])} correctly returned nothing"
        )
    if cost["n_cost"] or cost["n_cache_known"]:
        price = usd(cost["cost_usd_per_query"]) if cost["n_cost"] else "not logged"
        lines.append(f"cost: {price} · cache hits: {share(cost['cache_hit_rate'])}")
    options = ", ".join(f"{name}={value}" for name, value in changed_options(result["definition"]).items()) or "defaults"
    return [*lines, f"definition: {options} · fingerprint {result['definition']['fingerprint'][:12]}"]


def _of_kind(row: Row) -> str:
    """``160 queries by judge m-1``."""
    judge = f" {row['judge']}" if row["judge"] else ""
    return f"{plural(row['n_queries'], 'query', 'queries')} of kind {row['kind']}{judge}"


def _coverage(coverage: Row, asked: str) -> str:
    return (
        f"coverage: {share(coverage['queries_asked'])} of labelled queries asked, {share(coverage['traffic_labelled'])} of {asked} have labels, "
        f"relevant documents returned at least once within {within(coverage['k'])}: {share(coverage['relevant_returned'])}"
    )


def changed_options(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The options in force that are not the default."""
    defaults = {name: entry.default for name, entry in Definition.__dataclass_fields__.items()}
    return {name: value for name, value in definition.items() if name in defaults and value != defaults[name]}


def column_name(row: Row) -> str:
    """``recall@10``, ``mrr``, ``mrr (judge)`` where labels are no human's: how a metric's column is called everywhere."""
    name = f"{row['metric']}@{row['k']}" if row["k"] is not None else str(row["metric"])
    return f"{name} ({kinds})" if (kinds := rests_on(row.get("kinds"))) else name


def whole(rows: Sequence[Row]) -> list[Row]:
    """The rows over everything read: no window, no segment."""
    return [row for row in rows if not row["segment"] and row["window"] is None]


def _quality(result: Mapping[str, Any]) -> Section:
    rows = whole(result["metrics"])
    cutoffs = sorted({row["k"] for row in rows}, key=lambda k: (k is None, k or 0))
    cells = {(row["metric"], row["k"]): row for row in rows}
    of = f" ({kinds})" if rows and (kinds := rests_on(rows[0].get("kinds"))) else ""
    labels = {row["metric"]: label_of(row["metric"], result["read"]["preset"]) + of for row in rows}
    table: list[tuple[str, ...]] = [
        (labels[metric], *(all_traffic.cell(cells.get((metric, k))) for k in cutoffs)) for metric in labels
    ]
    table += matched.counts_by_k(result, cutoffs)
    unit = questions.UNITS[result["definition"]["unit"]]
    named = {id(row): labels[row["metric"]] + ("" if row["k"] is None else f"@{row['k']}") for row in rows}
    notes = [
        f"mean over {unit} ({_counted(rows, named, questions.unit_of(result))}), 95 % interval for other queries like these in brackets"
    ]
    highest = max((k or 0 for k in cutoffs), default=0)
    capped = [row for row in rows if row["k"] == highest and (row["attainable"] or 1) < 1]
    if capped:
        best = ", ".join(f"{named[id(row)]} {ratio(row['attainable'])}" for row in capped)
        notes.append(f"the best possible ranking would score {best}")
    if deeper := [named[id(row)] for row in rows if row["truncated"]]:
        notes.append(f"deeper than the logged lists: {', '.join(deeper)}")
    columns = [Column("metric", NAME), *(Column("whole list" if k is None else f"@{k}") for k in cutoffs)]
    return Section("Quality", columns, table, notes)


def _counted(rows: Sequence[Row], named: Mapping[int, str], noun: str) -> str:
    """Number of recalls (``noun``) behind the means; metrics over other recalls, each by name."""
    most = max(((row["n"], row["n_queries"]) for row in rows), default=(0, 0))
    others: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        if (row["n"], row["n_queries"]) != most:
            others.setdefault((row["n"], row["n_queries"]), []).append(named[id(row)])
    one = noun.removesuffix("s")
    parts = [f"{', '.join(names)}: {plural(n, one)} of {plural(m, 'query', 'queries')}" for (n, m), names in others.items()]
    return "; ".join([f"n = {plural(most[0], one)}", *parts])


def within(k: int | None) -> str:
    """How deep a count looked."""
    return "the whole list" if k is None else f"k = {k}"


def _segments(result: Mapping[str, Any]) -> list[Section]:
    rows = [row for row in result["metrics"] if row["segment"] or row["window"]]
    if not rows:
        return []
    columns = _shown_columns(rows)
    keys = list(dict.fromkeys(name for row in rows for name in row["segment"]))
    groups: dict[tuple[str, ...], dict[tuple[str, Any], Row]] = {}
    for row in rows:
        group = ((row["window"] or "all").removesuffix("T00:00:00Z"), *(_segment(row["segment"], key) for key in keys))
        groups.setdefault(group, {})[row["metric"], row["k"]] = row
    first = 0 if any(row["window"] for row in rows) else 1
    heads = ["window (UTC)", *keys][first:]
    counts = {group: matched.counts_of(cells, columns[0]) for group, cells in groups.items()}
    table = [
        (
            *group[first:],
            max(cell["n"] for cell in cells.values()),
            *(cells[c]["value"] if c in cells else "" for c in columns),
            *counts[group],
        )
        for group, cells in groups.items()
    ]
    shown = [
        *(Column(name, NAME) for name in heads),
        Column(questions.unit_of(result), COUNT),
        *(Column(label_of(metric) + ("" if k is None else f"@{k}"), RATIO) for metric, k in columns),
        *(Column(name) for name in (("relevant found", "exact found") if any(counts.values()) else ())),
    ]
    return [Section("By " + ", ".join(name.removesuffix(" (UTC)") for name in heads), shown, table)]


def _segment(segment: Row, key: str) -> str:
    return "(all)" if key not in segment else "(none)" if segment[key] is None else str(segment[key])


def _shown_columns(rows: Sequence[Row]) -> list[tuple[str, Any]]:
    highest = max((row["k"] for row in rows if row["k"] is not None), default=None)
    every = list(dict.fromkeys((row["metric"], row["k"]) for row in rows))
    lead = [column for column in every if column[1] in (highest, None) and column[0] in ("recall", "precision", "mrr", "ndcg")]
    return lead or every[:4]


def _latency(result: Mapping[str, Any]) -> Section:
    rows = whole(result["latency"])
    cache = "miss" if any(row["cache"] != "all" for row in rows) else "all"
    shown = [row for row in rows if row["stage"] == "total" or row["cache"] == cache]
    table = [
        (
            row["stage"] + CACHE[row["cache"]],
            row["n"],
            row["n_missing"],
            row["p50_ms"],
            with_interval(row["p95_ms"], row["p95_ci_low_ms"], row["p95_ci_high_ms"], ms),
            row["p99_ms"],
            row["max_ms"],
        )
        for row in shown
    ]
    kind = result["definition"]["percentile"].replace("_", " ")
    notes = [f"percentiles: {kind}, {shown[0]['percentile']}; p95 interval: {shown[0]['basis']}"] if shown else []
    notes += ["of single searches, whatever question they answer"] if "questions" in result["counts"] and shown else []
    columns = heads(("stage", NAME), ("n", COUNT), ("missing", COUNT), ("p50", MS), "p95 [95 % interval]", ("p99", MS), ("max", MS))
    return Section("Latency, ms", columns, table, notes)


def _queries(result: Mapping[str, Any], queries: Sequence[Row], *, per_query: bool) -> Section:
    """The worst queries; all queries with --per-query."""
    ranked = sorted(queries, key=lambda row: (-(row["pull"] or 0), row["label_no"]))
    shown = ranked if per_query else [row for row in ranked if (row["pull"] or 0) > 0][:WORST]
    first = next(iter(result["metrics"]), None)
    column = max((r for r in result["metrics"] if r["metric"] == "recall"), key=lambda r: r["k"] or 0, default=first)
    name = "" if column is None else column_name(column)
    has_ids = any(row["query_id"] for row in shown)
    columns = heads(
        ("query", NAME if has_ids else TEXT),
        ("text", TEXT),
        ("tenant", NAME),
        ("class", NAME),
        (questions.unit_of(result), COUNT),
        (name, RATIO),
        "pull",
        ("found at", TEXT),
        ("never found", TEXT),
        ("a trace", NAME),
    )
    table = [
        (
            row["query_id"] if has_ids else cut(row["query_text"]),
            cut(row["query_text"]) if has_ids else "",
            row["tenant_id"],
            row["query_class"],
            row["n"],
            dict(row["values"] or {}).get(name) if name else "",
            "–" if row["pull"] is None else signed(-row["pull"], 3),
            ", ".join(f"{hit['document_id']} #{hit['rank']}" for hit in row["found"]) if per_query else "",
            few(row["missed_ids"], limit=None if per_query else 3),
            "" if per_query else next(iter(row["trace_ids"]), ""),
        )
        for row in shown
    ]
    title = "Queries, those that pull the mean down most first" if per_query else "Queries that pull the mean down most"
    return Section(title, columns, table).filled()


def cut(text: str | None, limit: int = SHOWN) -> str:
    """A text's beginning, with an ellipsis where cut."""
    text = text or ""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def apart(before: Sequence[str], after: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids of one list that the other lacks: no longer there, and new."""
    return [one for one in before if one not in after], [one for one in after if one not in before]


def few(ids: Sequence[str], *, limit: int | None) -> str:
    """The first ids, and the number of further ones."""
    rest = len(ids) - len(ids[:limit])
    return ", ".join(ids[:limit]) + (f" +{rest}" if rest else "")


def _warnings(result: Mapping[str, Any]) -> Section:
    table = [(row["n"], row["message"], ", ".join(str(e) for e in row["examples"][:2])) for row in result["warnings"]]
    return Section("Worth knowing", [Column("n", COUNT), Column("what", TEXT), Column("for example", TEXT)], table)


def relabelled(change: Mapping[str, Any]) -> Section:
    """The means under the old and the new labels, over the same events."""
    means, sizes = (
        (("old labels", RATIO4), ("new labels", RATIO4), ("difference", DIFFERENCE)),
        (("old n", COUNT), ("new n", COUNT)),
    )
    columns = heads(("metric", NAME), *means, *sizes)
    names = ("old_value", "new_value", "difference", "old_n", "new_n")
    table = [(str(Measure(row["metric"], row["k"])), *(row[name] for name in names)) for row in change["metrics"]]
    note = (
        f"from label version {change['from'][:12]} to {change['to'][:12]}: the events are the same, the difference is the labels'"
    )
    return Section("Labels changed", columns, table, [note])
