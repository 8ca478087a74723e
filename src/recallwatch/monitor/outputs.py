"""What a drift result or a comparison can be written as; all agree with the JSON."""

from __future__ import annotations

from typing import Any

from ..base.registry import index
from ..document.outputs import JSON, Output
from . import sentences


def as_markdown(result: Any) -> str:
    """A short table for a pull request or a chat."""
    lines = [f"**{result.verdict}**: {result.headline}", ""]
    lines += _comparison(result) if hasattr(result, "metrics") else _drift(result)
    return "\n".join(lines) + "\n"


def _drift(result: Any) -> list[str]:
    lines = [] if result.windows is None else _series(result)
    lines += ["| family | what | verdict | why |", "|---|---|---|---|"]
    told = [
        f
        for f in result.findings
        if f.verdict in ("fail", "warn", "improved") or (f.verdict == "insufficient" and not f.measured.segment)
    ]
    lines += [f"| {f.family} | {cell(sentences.name_of(f.measured))} | {f.verdict} | {cell(f.reason)} |" for f in told]
    if not told:
        lines.append(f"| all | {len(result.findings)} tests | ok | |")
    return lines


def _series(result: Any) -> list[str]:
    from . import FAMILIES

    rows = [f"| {w.current['from']} | {w.verdict} | {' | '.join(w.verdicts()[f] for f in FAMILIES)} |" for w in result.windows]
    return [f"| window | verdict | {' | '.join(FAMILIES)} |", "|---" * (2 + len(FAMILIES)) + "|", *rows, ""]


def _comparison(result: Any) -> list[str]:
    lines = ["| metric | class | a | b | b − a | better / equal / worse | p | verdict |", "|---|---|---|---|---|---|---|---|"]
    for row in result.metrics:
        name = f"{row['metric']}@{row['k']}" if row["k"] else row["metric"]
        name = f"{row['stage']} ms" if row["stage"] else name
        p = "" if row["p_value"] is None else f"{row['p_value']:.2g}"
        counts = f"{row['wins']} / {row['ties']} / {row['losses']}"
        value = " | ".join("-" if row[side] is None else f"{row[side]:.4f}" for side in ("a", "b"))
        effect = "-" if row["effect"] is None else f"{row['effect']:+.4f}"
        lines.append(
            f"| {name} | {cell(row['segment'].get('query_class', ''))} | {value} | {effect} | {counts} | {p} | {row['verdict']} |"
        )
    return lines


def cell(text: str) -> str:
    """Text that cannot break out of a table's cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


DRIFT_OUTPUTS = index(
    Output("text", "tables for people", str),
    JSON,
    Output("markdown", "short tables for a pull request", as_markdown),
)
