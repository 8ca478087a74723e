"""What to label next, as text and markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..report import as_markdown, as_text
from ..report.sections import Section, share

if TYPE_CHECKING:
    from .suggestions import Suggestions

SHOWN = 2  # documents of a line


def render_text(found: Suggestions) -> str:
    """The tables of ``recallwatch suggest-labels``."""
    return as_text.drawn(_head(found), _sections(found), _foot(found))


def render_markdown(found: Suggestions) -> str:
    """The same as GitHub-flavoured tables."""
    return as_markdown.written(_head(found), _sections(found), _foot(found))


def _head(found: Suggestions) -> str:
    c = found.counts
    return (
        f"{c['n_labelled']:,} of {c['n_events']:,} recalls have labels ({share(c['traffic_labelled'])}), and {share(c['judged_share'])} of the "
        f"documents in their first {found.period['k']}"
    )


def _sections(found: Suggestions) -> list[Section]:
    classes = Section(
        "Query classes, the least covered first",
        ("class", "recalls", "labelled", "labelled queries", "unlabelled queries"),
        [
            (
                row["query_class"] or "(none)",
                f"{row['n']:,}",
                share(row["traffic_labelled"]),
                f"{row['labelled_queries']:,}",
                f"{row['unlabelled_queries']:,}",
            )
            for row in found.classes
        ],
    )
    tasks = Section(
        "What to label next",
        ("#", "query", "class", "why", "recalls", "labelled", "judged", "first to judge"),
        [_row(task) for task in found.tasks],
        ["labelled, judged: share of recalls and of their documents once this line and those above are done"],
        left=("query", "class", "why", "first to judge"),
        whole=("#", "class", "why", "first to judge"),
    )
    return [section for section in (classes, tasks) if section.rows]


def _row(task: dict[str, Any]) -> tuple[str, ...]:
    more = f" (and {len(task['similar'])} like it)" if task["similar"] else ""
    like = task["like_labelled"]
    hint = f" (like {like['query_id'] or like['query_text']}, which is labelled)" if like else ""
    named = f"{task['query_id']}: " if task["query_id"] else ""
    listed = [document["document_id"] for document in task["documents"]]
    rest = f" +{len(listed) - SHOWN}" if len(listed) > SHOWN else ""
    return (
        str(task["task"]),
        f"{named}{task['query_text'] or ''}{more}{hint}",
        task["query_class"] or "",
        ", ".join(_reason(task, reason) for reason in task["reasons"]),
        f"{task['n']:,}",
        _per_cent(task["traffic_after"]),
        _per_cent(task["judged_after"]),
        ", ".join(listed[:SHOWN]) + rest,
    )


def _per_cent(value: float | None) -> str:
    """One decimal, so that a single line shows."""
    return "–" if value is None else f"{100 * value:.1f} %"


def _reason(task: dict[str, Any], reason: str) -> str:
    if reason != "moved":
        return reason
    before, after = task["value_early"], task["value_late"]
    if before is not None and after is not None and before != after:
        return f"recall {before:.2f} → {after:.2f}"
    return f"moved {share(task['moved'])}"


def _foot(found: Suggestions) -> list[str]:
    c = found.counts
    lines = []
    if found.tasks:
        last = found.tasks[-1]
        lines.append(
            f"these {len(found.tasks)} lines bring the labelled recalls from {share(c['traffic_labelled'])} to {share(last['traffic_after'])}, "
            f"the judged documents from {share(c['judged_share'])} to {share(last['judged_after'])}"
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
        lines.append(f"{c['n_without_query']:,} recalls name no query that a label could join by")
    lines.append(
        "why: traffic = asked most · class = its class is least covered · unjudged = most documents without a label · moved = share of its list that "
        f"is another one after {(found.period['middle'] or '')[:16].replace('T', ' ')} UTC"
    )
    return lines
