"""A comparison of two variants for people. Reads the JSON, so it knows no more than that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document.model import COUNT, FIGURE, NAME, RATIO, TEXT, VERDICT, Column, Document, P, Section, heads
from ..document.numbers import ratio, ratio4, share, significant
from ..scoring.document import few
from ..scoring.funnel import section
from .comparison_sentences import change_of, row_name

SHOWN, IDS = 10, 4  # queries, and ids of one
Row = Mapping[str, Any]
METRICS = (
    *(Column(name, NAME) for name in ("metric", "class")),
    *(Column(name, FIGURE) for name in ("a", "b", "change", "95 % interval", "better / equal / worse")),
    Column("p", P),
    Column("turned by", NAME),
    Column("verdict", VERDICT),
)


def document_of(result: Row) -> Document:
    """The document of what ``Comparison.to_dict`` returns."""
    metrics = Section("Metrics", METRICS, [_row(row) for row in result["metrics"]]).filled()
    return Document(
        result["headline"],
        [metrics, section(result["funnel"]), _differing(result)],
        [*_rankings(result["similarity"]), *(f"note: {note}" for note in result["notes"])],
        result["verdict"],
    )


def _differing(result: Row) -> Section:
    """The queries that differ, the first to label first; where there are labels the worst and best queries are known better."""
    like = result["similarity"]
    rows = [] if like is None or any(row["family"] == "quality" for row in result["metrics"]) else like["queries"][:SHOWN]
    columns = heads(
        ("query", NAME),
        ("text", TEXT),
        ("recalls", COUNT),
        *((name, RATIO) for name in (f"overlap@{like['k']}" if like else "overlap", "RBO")),
        *((f"only {result[side]['name']}", TEXT) for side in ("a", "b")),
    )
    table = [
        (
            row["query"],
            row["query_text"] if row["query_text"] != row["query"] else "",
            *(row[name] for name in ("n", "overlap", "rbo")),
            *(few(row[name], limit=IDS) for name in ("only_a", "only_b")),
        )
        for row in rows
    ]
    note = "first those with most recalls whose answer depends on the variant: recalls x (1 - overlap)"
    return Section("Queries that differ, the first to label first", columns, table, [note] if table else []).filled()


def _row(row: Row) -> tuple[Any, ...]:
    shown = [significant(row[side], 4) if row["unit"] == "log_ratio" else ratio4(row[side]) for side in ("a", "b")]
    bounds = [change_of({**row, "effect": row[end]}).removesuffix(" points") for end in ("ci_low", "ci_high")]
    interval = "–" if row["ci_low"] is None else " … ".join(bounds)
    counts = "unpaired" if row["method"] == "welch" else f"{row['wins']} / {row['ties']} / {row['losses']}"
    segment = row["segment"].get("query_class", "")
    return (
        row_name({**row, "segment": {}}),
        segment,
        *shown,
        change_of(row),
        interval,
        counts,
        row["p_value"],
        _turned(row),
        row["verdict"],
    )


def _turned(row: Row) -> str:
    """How many unjudged documents of the losing variant, were they relevant, would end a difference's significance."""
    theta = row.get("tipping_point")
    n = row[f"n_unjudged_{'a' if row['effect'] > 0 else 'b'}"] if theta is not None else 0
    return "" if theta is None else f"{share(theta)} of {n:,} unjudged"


def _rankings(like: Row | None) -> list[str]:
    if not like:
        return []
    same = f"{like['n_same_list']} of {like['n_queries']} queries have the same list"
    return [f"rankings: overlap@{like['k']} {ratio(like['overlap'])}, RBO {ratio(like['rbo'])}; {same}"]
