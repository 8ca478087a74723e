"""A stability result as text, and its bands as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.errors import printable
from ..base.outputs import Written, as_json
from ..base.registry import index
from ..report.as_markdown import written
from ..report.sections import Section

if TYPE_CHECKING:
    from .stability import Stability

MEASURES = ("variant", "measure", "repeats", "mean", "sd", "min", "max", "queries that flip")
STEPS = ("parameter", "from", "to", "measure", "change", "95 % interval", "better", "worse", "equal")
SHOWN = 10  # flipping queries in the text


def render(result: Stability) -> str:
    """The whole text; no colours, so that a file and a terminal hold the same."""
    lines = [f"{_repeats(result)} (by {result.by}) of {len(result.cells)} variant{'s' * (len(result.cells) != 1)}", ""]
    lines += _likeness(result)
    lines += ["", *table(MEASURES, [_measure(row) for row in _shown(result)], left=2)]
    lines += _flips(result)
    lines += _sensitivity(result)
    if result.bands:
        lines += ["", bands_toml(result).rstrip("\n")]
    lines += ["", *(f"note: {printable(note)}" for note in result.notes)] if result.notes else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def markdown(result: Stability) -> str:
    """The same as tables for a pull request."""
    tables = [Section("Between repeats", MEASURES, [_measure(row) for row in _shown(result)], left=("measure",))]
    if result.sensitivity:
        rows = [_step(row) for row in result.sensitivity]
        tables.append(
            Section("What one step of a parameter changes, all others equal", STEPS, rows, left=("from", "to", "measure"))
        )
    return written(f"{_repeats(result)} (by {result.by})", tables, [*_likeness(result), *result.notes])


def _repeats(result: Stability) -> str:
    counts = sorted({len(cell["repeats"]) for cell in result.cells})
    return f"{' to '.join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))} repeats"


def _likeness(result: Stability) -> list[str]:
    """Identical rankings told apart from noise."""
    same = [cell for cell in result.cells if cell["is_identical"]]
    lines = []
    if same:
        names = ", ".join(printable(cell["variant"]) for cell in same)
        lines.append(f"rankings identical in all repeats, so quality cannot vary and only times do: {names}")
    for cell in result.cells:
        like = cell["likeness"]
        if like is None or cell["is_identical"]:
            continue
        told = f"{like['n_queries_differ']} of {like['n_queries']} queries ranked differently"
        alike = f"overlap@{result.k} {like['overlap']:.4f}, RBO {like['rbo']:.4f}"
        lines.append(
            f"rankings differ between repeats: {printable(cell['variant'])}: {told} ({alike}, each repeat against the next)"
        )
    return lines


def _shown(result: Stability) -> list[dict[str, Any]]:
    """Metrics and total times; the quality of variants whose rankings are identical is one value, and not repeated."""
    identical = {cell["variant"] for cell in result.cells if cell["is_identical"]}
    total = [row for row in result.measures if row["unit"] == "ratio" or row["measure"] in ("p50:total", "p95:total")]
    return [row for row in total if row["unit"] == "ms" or row["variant"] not in identical or len(result.cells) == 1]


def _measure(row: Mapping[str, Any]) -> tuple[str, ...]:
    numbers = [shown(row[name], row["unit"]) for name in ("mean", "sd", "min", "max")]
    flips = "" if row["n_flips"] is None else f"{row['n_flips']} of {row['n_queries']}"
    return (printable(row["variant"]), printable(row["measure"]), str(row["n_repeats"]), *numbers, flips)


def shown(value: float | None, unit: str, sign: str = "") -> str:
    """A ratio with four digits, a time with four significant ones."""
    return "-" if value is None else format(value, f"{sign}.4f" if unit == "ratio" else f"{sign},.4g")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int) -> list[str]:
    """Columns as wide as their widest cell; the first ``left`` flush left."""
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    return [
        "  ".join(
            text.ljust(width) if i < left else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in [head, *rows]
    ]


def _flips(result: Stability) -> list[str]:
    if not result.flips:
        return []
    first = result.flips[0]["measure"]
    rows = [row for row in result.flips if row["measure"] == first]
    lines = ["", f"queries whose {first} differs between repeats"]
    lines += [
        f"  {printable(row['variant'])}  {printable(repr(row['query_id'] or row['query_text']))}  {row['min']:.4f} … {row['max']:.4f}"
        for row in rows[:SHOWN]
    ]
    return lines + ([f"  and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else [])


def _sensitivity(result: Stability) -> list[str]:
    if not result.sensitivity:
        return []
    return [
        "",
        "what one step of a parameter changes, all others equal",
        *table(STEPS, [_step(r) for r in result.sensitivity], left=4),
    ]


def _step(row: Mapping[str, Any]) -> tuple[str, ...]:
    ends = [printable("(none)" if row[side] is None else str(row[side])) for side in ("from", "to")]
    low, high = (shown(row[name], row["unit"], "+") for name in ("ci_low", "ci_high"))
    is_same = row["n"] > 0 and not row["n_better"] and not row["n_worse"]
    interval = "all the same" if is_same else "" if row["ci_low"] is None else f"{low} … {high}"
    counts = [str(n) for n in (row["n_better"], row["n_worse"], row["n"] - row["n_better"] - row["n_worse"])]
    return (printable(row["parameter"]), *ends, row["measure"], shown(row["effect"], row["unit"], "+"), interval, *counts)


def bands_toml(result: Stability) -> str:
    """``[bands]``: measure = how far two single runs may lie apart by chance; ratio 0..1, times in ms."""
    whose = "pooled over variants" if result.bands_of is None else printable(result.bands_of)
    lines = [f"# {whose}: two single runs lie this far apart by chance in 5 % of cases (t x sd x sqrt 2)", "[bands]"]
    for row in result.bands:
        is_time = row["unit"] == "ms"
        if is_time and row["measure"] not in ("p50:total", "p95:total"):
            continue
        told = f"sd {row['sd']:.6g} {row['unit']}, {row['df']} degrees of freedom"
        name = json.dumps(row["measure"], ensure_ascii=False)
        if row["band"] is None:
            lines.append(f"# {name}: too few repeats")
        elif is_time:  # a protocol has bands of its metrics, and none of times
            lines.append(f"# {name}: {row['band']:.6g} ms ({told})")
        else:
            lines.append(f"{name} = {float(row['band'])!r}  # {told}")
    return "\n".join(lines) + "\n"


STABILITY_OUTPUTS = index(
    Written("text", "tables for people", str),
    Written("json", "everything, full floats, stable key order", as_json),
    Written("markdown", "short tables for a pull request", markdown),
    Written("toml", "the bands alone, for a protocol", bands_toml),
)
