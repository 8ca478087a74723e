"""What to label next, for people: the classes least covered, then line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.model import COUNT, NAME, SHARE, TEXT, Document, Section, heads
from ..document.numbers import plural, ratio, share

SHOWN = 2  # documents of a line


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of suggestions, from their JSON."""
    c = result["counts"]
    headline = (
        f"{c['n_labelled']:,} of {c['n_events']:,} recalls have labels ({share(c['traffic_labelled'])}), and {share(c['judged_share'])} of the "
        f"documents in their first {result['period']['k']}"
    )
    return Document(headline, [_classes(result), _tasks(result)], _notes(result))


def _classes(result: Mapping[str, Any]) -> Section:
    columns = heads(
        ("class", NAME), ("recalls", COUNT), ("labelled", SHARE), ("labelled queries", COUNT), ("unlabelled queries", COUNT)
    )
    names = ("n", "traffic_labelled", "labelled_queries", "unlabelled_queries")
    rows = [(row["query_class"] or "(none)", *(row[name] for name in names)) for row in result["classes"]]
    return Section("Query classes, the least covered first", columns, rows)


def _tasks(result: Mapping[str, Any]) -> Section:
    columns = heads(
        ("#", COUNT),
        ("query", NAME),
        ("text", TEXT),
        ("tenant", NAME),
        ("class", NAME),
        ("why", NAME),
        ("recalls", COUNT),
        "labelled",
        "judged",
        ("first to judge", TEXT),
    )
    note = "labelled, judged: share of recalls and of their documents once this line and those above are done"
    return Section("What to label next", columns, [_row(task) for task in result["tasks"]], [note]).filled()


def _row(task: Mapping[str, Any]) -> tuple[Any, ...]:
    more = f" (and {len(task['similar'])} like it)" if task["similar"] else ""
    like = task["like_labelled"]
    hint = f" (like {like['query_id'] or like['query_text']}, which is labelled)" if like else ""
    listed = [document["document_id"] for document in task["documents"]]
    rest = f" +{len(listed) - SHOWN}" if len(listed) > SHOWN else ""
    return (
        task["task"],
        task["query_id"],
        f"{task['query_text'] or ''}{more}{hint}",
        task["tenant_id"],
        task["query_class"],
        ", ".join(_reason(task, reason) for reason in task["reasons"]),
        task["n"],
        _tenth(task["traffic_after"]),
        _tenth(task["judged_after"]),
        ", ".join(listed[:SHOWN]) + rest,
    )


def _tenth(value: float | None) -> str:
    """One digit, so that the step of a single line shows."""
    return share(value) if value is None else f"{100 * value:.1f} %"


def _reason(task: Mapping[str, Any], reason: str) -> str:
    if reason != "moved":
        return reason
    before, after = task["value_early"], task["value_late"]
    if before is not None and after is not None and before != after:
        return f"recall {ratio(before, 2)} → {ratio(after, 2)}"
    return f"moved {share(task['moved'])}"


def _notes(result: Mapping[str, Any]) -> list[str]:
    c = result["counts"]
    lines = []
    if result["tasks"]:
        last = result["tasks"][-1]
        lines.append(
            f"{plural(len(result['tasks']), 'line')}: with them done, the labelled recalls go from {share(c['traffic_labelled'])} to "
            f"{share(last['traffic_after'])}, the judged documents from {share(c['judged_share'])} to {share(last['judged_after'])}"
        )
        lines.append("a worksheet to fill in: -o labels.todo.jsonl, then recallwatch ingest-labels labels.todo.jsonl --store DIR")
    else:
        lines.append("nothing to label: every query has a label, and every document in the first ranks is judged")
    merged = c["n_unlabelled_queries"] - c["n_groups"]
    if merged:
        lines.append(
            f"{merged:,} of {c['n_unlabelled_queries']:,} unlabelled queries say the same as another one and share its line"
        )
    if c["n_without_query"]:
        lines.append(f"{plural(c['n_without_query'], 'recall')} without a query that a label could join by")
    middle = (result["period"]["middle"] or "")[:16].replace("T", " ")
    lines.append(
        "why: traffic = asked most · class = its class is least covered · unjudged = most documents without a label · "
        f"moved = share of its list that is another one after {middle} UTC"
    )
    return lines
