"""A drift result as text for people: the headline, then what moved, then what was compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import FAMILIES, sentences
from .decision import Finding, verdict_of_family

if TYPE_CHECKING:
    from .result import Drift

SHOWN = 8
WIDTH = 110


def render(result: Drift) -> str:
    """The whole text; no colours, so that a file and a terminal hold the same."""
    from io import StringIO

    from rich.console import Console

    buffer = StringIO()
    out = Console(file=buffer, width=WIDTH, highlight=False, emoji=False, markup=False, color_system=None)
    if result.windows is not None:
        out.print(_series(result))
        for point in result.change_points:
            out.print(f"change point: {point['metric']} from {point['at']} on, {point['before']:.4g} → {point['after']:.4g}")
    out.print(f"{result.verdict.upper()}  {result.headline}")
    for name in ("reference", "current"):
        window = getattr(result, name)
        out.print(f"{name:9}  {window['from']} .. {window['to']}  {window['events']:,} recalls, {window['days']} days")
    for note in result.notes:
        out.print(f"note: {note}")
    out.print()
    out.print(_findings(result))
    for found in _main(result):
        out.print(f"\nwhere {sentences.name_of(found.measured)} moved")
        for row in found.measured.where[:SHOWN]:
            out.print("  " + _where(row))
    out.print()
    out.print(_decomposition(result))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _findings(result: Drift) -> Any:
    """What moved, what could not be tested, and one line a family for the rest."""
    table = _table("family", "what", "verdict", "why")
    for family in FAMILIES:
        group = [f for f in result.findings if f.family == family]
        told = [f for f in group if f.verdict in ("fail", "warn", "improved")]
        told += [f for f in group if f.verdict == "insufficient" and not f.measured.segment][:2]
        for found in told:
            table.add_row(family, sentences.name_of(found.measured), _verdict(found), found.reason)
        if group and not told:
            first = group[0]
            table.add_row(
                family,
                f"{len(group)} tests",
                verdict_of_family(group, family),
                f"{sentences.name_of(first.measured)}: {first.reason}",
            )
    return table


def _main(result: Drift) -> list[Finding]:
    """The gravest finding of each family that says where; the JSON has all of them."""
    found = []
    for family in FAMILIES:
        moved = [
            f for f in result.findings if f.family == family and f.verdict in ("fail", "warn", "improved") and f.measured.where
        ]
        found += sorted(moved, key=sentences.rank)[:1]
    return found


def _verdict(found: Finding) -> str:
    state = f" ({found.state} since {found.since})" if found.state and found.since else ""
    return found.verdict + state


def _segment(row: dict[str, Any]) -> str:
    name = ", ".join(f"{k} {v}" for k, v in row["segment"].items())
    if "share_of_change" in row:
        return f"{name}: {100 * row['share_of_change']:.0f} % of the change, {100 * row['share_of_traffic']:.0f} % of the traffic"
    return f"{name}: {100 * row['reference']:.1f} % → {100 * row['current']:.1f} % of the traffic"


def _where(row: dict[str, Any]) -> str:
    """One entry of ``where`` as a line."""
    kind = row["kind"]
    if kind == "segment":
        return _segment(row)
    if kind == "query":
        lost = ", ".join(f"{d['document_id']} ({d['from_rank']} → {d['to_rank'] or 'gone'})" for d in row["lost"][:4])
        return f"query {row['query_id'] or row['query_text']}: {row['reference']:.3f} → {row['current']:.3f}" + (
            f"; lost {lost}" if lost else ""
        )
    if kind == "document":
        return f"document {row['document_id']}: lost by {row['queries']} queries" + (
            ", no longer returned" if row["is_gone"] else ""
        )
    if kind == "stage":
        share = f", {100 * row['share_of_change']:.0f} % of the change" if row["share_of_change"] is not None else ""
        return f"{row['stage']}: mean {row['reference_ms']:.4g} → {row['current_ms']:.4g} ms{share}"
    if kind == "event":
        return f"slow event {row['event_id']}: {row['ms']:.4g} ms" + (f" (trace {row['trace_id']})" if row["trace_id"] else "")
    return f"{row['hour']}: {row['n']} cases"


def _decomposition(result: Drift) -> Any:
    table = _table("metric", "total", "class mix", "query mix", "within", "entry and exit")
    for row in result.decomposition:
        name = f"{row['metric']}@{row['k']}" if row["k"] else row["metric"]
        parts = [row[part] for part in ("total", "class_mix", "query_mix", "within", "entry_exit")]
        table.add_row(name, *("-" if p is None else f"{p:+.4f}" for p in parts))
    return table


def render_comparison(result: Any) -> str:
    """A comparison of two variants as text."""
    from io import StringIO

    from rich.console import Console

    buffer = StringIO()
    out = Console(file=buffer, width=WIDTH, highlight=False, emoji=False, markup=False, color_system=None)
    out.print(f"{result.verdict.upper()}  {result.headline}\n")
    table = _table("metric", "class", "a", "b", "b - a", "95 % interval", "better / equal / worse", "p", "verdict")
    for row in result.metrics:
        name = f"{row['metric']}@{row['k']}" if row["k"] else row["metric"]
        name = f"{row['stage']} ms" if row["stage"] else name
        interval = "-" if row["ci_low"] is None else f"{row['ci_low']:+.4f} .. {row['ci_high']:+.4f}"
        p = "-" if row["p_value"] is None else f"{row['p_value']:.2g}"
        numbers = ["-" if row[side] is None else f"{row[side]:{sign}.4f}" for side, sign in (("a", ""), ("b", ""), ("effect", "+"))]
        counts = f"{row['wins']} / {row['ties']} / {row['losses']}"
        table.add_row(name, row["segment"].get("query_class", ""), *numbers, interval, counts, p, row["verdict"])
    out.print(table)
    if result.likeness:
        x = result.likeness
        out.print(
            f"\nrankings: overlap@{x['k']} {x['overlap']:.3f}, RBO {x['rbo']:.3f}; {x['n_same_list']} of {x['n_queries']} queries have the same list"
        )
    for note in result.notes:
        out.print(f"note: {note}")
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _series(result: Drift) -> Any:
    table = _table("window", "verdict", *FAMILIES)
    for window in result.windows or ():
        verdicts = window.verdicts()
        table.add_row(str(window.current["from"]), window.verdict, *(verdicts[family] for family in FAMILIES))
    return table
