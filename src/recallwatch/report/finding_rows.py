"""Findings as people list them: the name of each, its state, which are worth a line. The text of a drift and every output of a night list the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.verdicts import MOVED, families, place
from ..document.numbers import plural
from ..scoring.columns import segment_name
from ..scoring.document import column_name
from .night import short

SAME = "same queries"  # whose mean a paired test compares: no other value of the metric on a page is of these alone
BY_TRAFFIC = "_by_traffic"  # ends the name of a metric whose queries weigh as much as they are asked
UNTESTED = 2  # tests of a family that lacked data, named


def finding_name(row: Mapping[str, Any]) -> str:
    """What a finding is about: ``recall@10 (lookup, same queries)``, ``rerank p95``, ``mix effect on recall@10``, ``query class psi``."""
    if row["stage"] is not None and row["quantile"] is not None:
        base = f"{row['stage']} p{100 * row['quantile']:.0f}"
    elif row["stage"] is not None:
        base = f"{str(row['metric']).replace('_', ' ')} {row['stage']}"
    elif row["family"] == "mix" and row["unit"] == "ratio":
        base = f"mix effect on {column_name(row)}"
    else:
        base = column_name({**row, "metric": row["metric"].removesuffix(BY_TRAFFIC)}).replace("_", " ")
    about = [segment_name(row["segment"])] if row["segment"] else ["by traffic"] if row["metric"].endswith(BY_TRAFFIC) else []
    about += [SAME] if row["family"] == "quality" else []
    return f"{base} ({', '.join(about)})" if about else base


def state_of(row: Mapping[str, Any]) -> str:
    """``ongoing since 2026-11-08``."""
    return f"{row['state']} since {short(str(row['since']))}" if row["state"] and row["since"] else str(row["state"] or "")


def rank(row: Mapping[str, Any]) -> tuple[int, int, float]:
    """Sort key of findings that moved: the gravest first, whole before part, larger before smaller."""
    is_whole = row["family"] == "quality" and not row["segment"] and not row["metric"].endswith(BY_TRAFFIC)
    is_total = row["family"] == "latency" and row["stage"] == "total"
    return (place(row["verdict"]), 0 if is_whole or is_total else 1, -abs(row["effect"] or 0.0))


def listed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What moved, what could not be tested, and one line a family for the rest: family, what, verdict, state, why."""
    lines = []
    for family, verdict in families(rows).items():
        own = [row for row in rows if row["family"] == family]
        moved = [row for row in own if row["verdict"] in MOVED]
        untested = [row for row in own if row["verdict"] == "insufficient" and not row["segment"]][:UNTESTED]
        lines += [_line(row, finding_name(row), row["verdict"], row["reason"]) for row in moved + untested]
        rest = [row for row in own if row["verdict"] == "ok"] or ([] if untested else own)
        if rest and not moved:
            what = plural(len(rest), "test")
            lines.append(_line(rest[0], what, "ok" if untested else verdict, f"{finding_name(rest[0])}: {rest[0]['reason']}"))
    return lines


def _line(row: Mapping[str, Any], what: str, verdict: str, why: str) -> dict[str, Any]:
    return {"family": row["family"], "what": what, "verdict": verdict, "state": state_of(row), "why": why}


def by_window(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Windows x families, as verdicts: ``at``, ``verdict``, ``headline`` and each family of every window of a series."""
    return [
        {
            "at": short(window["current"]["from"]),
            "verdict": window["verdict"],
            "headline": short(window["headline"]),
            **families(window["findings"]),
        }
        for window in document.get("windows") or []
    ]


def cause_text(row: Mapping[str, Any]) -> str:
    """A likely cause as a line, with the values of the recalls that hold it or what the documents gone share."""
    about = (
        [f"They have {' and '.join(f'{name} {value}' for name, value in row['segment'].items())}."] if row.get("segment") else []
    )
    about += [
        f"{_sharing(trait)} share {_trait(trait)}: {trait['n_gone']} of the {trait['n_trait']} documents that have it are gone."
        for trait in row.get("traits", [])[:1]
    ]
    return " ".join([row["sentence"], *about])


def _sharing(row: Mapping[str, Any]) -> str:
    """Which of the documents gone have a trait: nearly all that no chance hides, which need not be all."""
    return "They" if row["n_gone"] == row["n_all_gone"] else f"{row['n_gone']} of them"


def _trait(row: Mapping[str, Any]) -> str:
    """``the prefix eu``, ``the number: divided by 6 it leaves 5``."""
    if row["trait"] == "remainder":
        modulus, _, rest = row["shared"].partition(":")
        return f"the remainder of their number, {rest} after division by {modulus}, as a lost shard would"
    return f"the {row['trait'].replace('_', ' ')} {row['shared']}"
