"""What a stability result says to people, and its bands as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..base.errors import printable
from ..document.model import COUNT, NAME, Column, Document, P, Section, heads
from ..document.numbers import interval, plural, ratio4, signed, significant

SHOWN = 10  # flipping queries in the text
TIMES = ("p50:total", "p95:total")


def document_of(result: Mapping[str, Any]) -> Document:
    """The document of a stability result, from its JSON."""
    counts = sorted({len(cell["repeats"]) for cell in result["cells"]})
    repeats = " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    headline = f"{repeats} repeats (by {result['by']}) of {plural(len(result['cells']), 'variant')}"
    sections = [_measures(result), _flips(result), _steps(result), _bands(result)]
    return Document(headline, sections, result["notes"], lead=_rankings(result))


def _rankings(result: Mapping[str, Any]) -> list[str]:
    """Which variants return identical rankings in all repeats, and how different the others' are."""
    same = [cell["variant"] for cell in result["cells"] if cell["is_identical"]]
    lines = [f"rankings identical in all repeats, so quality cannot vary and only times do: {', '.join(same)}"] if same else []
    for cell in result["cells"]:
        like = cell["similarity"]
        if like is None or cell["is_identical"]:
            continue
        differ = f"{like['n_queries_differ']:,} of {like['n_queries']:,} queries ranked differently"
        alike = f"overlap@{result['k']} {ratio4(like['overlap'])}, RBO {ratio4(like['rbo'])}"
        lines.append(f"rankings differ between repeats: {cell['variant']}: {differ} ({alike}, each repeat against the next)")
    return lines


def _measures(result: Mapping[str, Any]) -> Section:
    """Metrics and total times; the quality of variants whose rankings are identical is one value, and not repeated."""
    identical = {cell["variant"] for cell in result["cells"] if cell["is_identical"]}
    every = [row for row in result["measures"] if row["unit"] == "ratio" or row["measure"] in TIMES]
    rows = [row for row in every if row["unit"] == "ms" or row["variant"] not in identical or len(result["cells"]) == 1]
    columns = heads(
        ("variant", NAME),
        ("measure", NAME),
        ("repeats", COUNT),
        *(name for name in ("mean", "sd", "min", "max", "queries that flip")),
    )
    table = [
        (
            row["variant"],
            _name(row),
            row["n_repeats"],
            *(_shown(row[name], row["unit"]) for name in ("mean", "sd", "min", "max")),
            "" if row["n_flips"] is None else f"{row['n_flips']:,} of {row['n_queries']:,}",
        )
        for row in rows
    ]
    return Section("Between repeats", columns, table)


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['measure']}, ms" if row["unit"] == "ms" else str(row["measure"])


def _shown(value: float | None, unit: str) -> str:
    return ratio4(value) if unit == "ratio" else significant(value, 4)


def _difference(value: float | None, unit: str) -> str:
    if unit == "ratio" or value is None:
        return signed(value)
    return f"{'+' if value > 0 else ''}{significant(value, 4)}"


def _flips(result: Mapping[str, Any]) -> Section:
    first = next((row["measure"] for row in result["flips"]), "")
    rows = [row for row in result["flips"] if row["measure"] == first]
    table = [(row["variant"], row["query_id"] or row["query_text"], ratio4(row["min"]), ratio4(row["max"])) for row in rows[:SHOWN]]
    notes = [f"and {len(rows) - SHOWN:,} more"] if len(rows) > SHOWN else []
    columns = [Column("variant", NAME), Column("query", NAME), Column("min"), Column("max")]
    return Section(f"Queries whose {first} differs between repeats", columns, table, notes)


def _steps(result: Mapping[str, Any]) -> Section:
    columns = heads(
        *((name, NAME) for name in ("parameter", "from", "to", "measure")),
        "change",
        "95 % interval",
        *((name, COUNT) for name in ("better", "worse", "equal")),
        ("p", P),
    )
    rows = [_step(row) for row in result["sensitivity"]]
    n = sum(row["p_value"] is not None for row in result["sensitivity"])
    notes = [f"p corrected for {plural(n, 'test')} (Benjamini-Hochberg), intervals are not"] if rows else []
    return Section("What one step of a parameter changes, all others equal", columns, rows, notes)


def _step(row: Mapping[str, Any]) -> tuple[Any, ...]:
    def show(value: float | None) -> str:
        return _difference(value, row["unit"])

    is_same = row["n"] > 0 and not row["n_better"] and not row["n_worse"]
    bounds = "" if row["ci_low"] is None else interval(row["ci_low"], row["ci_high"], show)
    return (
        row["parameter"],
        *("(none)" if row[side] is None else str(row[side]) for side in ("from", "to")),
        _name(row),
        show(row["effect"]),
        "all the same" if is_same else bounds,
        row["n_better"],
        row["n_worse"],
        row["n"] - row["n_better"] - row["n_worse"],
        row["q_value"],
    )


def _bands(result: Mapping[str, Any]) -> Section:
    """How far two single runs lie apart by chance; as a section of a protocol: ``-f toml``."""
    columns = [Column("measure", NAME), Column("band"), Column("sd"), Column("degrees of freedom", COUNT)]
    rows = [
        (
            _name(row),
            "too few repeats" if row["band"] is None else _shown(row["band"], row["unit"]),
            _shown(row["sd"], row["unit"]),
            row["df"],
        )
        for row in result["bands"]
        if row["unit"] != "ms" or row["measure"] in TIMES
    ]
    notes = ["for a protocol: -f toml"]
    return Section(f"Bands: {_chance(result)}", columns, rows, notes)


def _chance(result: Mapping[str, Any]) -> str:
    whose = "pooled over variants" if result["bands_of"] is None else result["bands_of"]
    return f"{whose}: two single runs lie this far apart by chance in 5 % of cases (t x sd x sqrt 2)"


def bands_toml(result: Mapping[str, Any]) -> str:
    """``[bands]``: measure = how far two single runs may lie apart by chance; ratio 0..1, times in ms."""
    lines = [f"# {printable(_chance(result))}", "[bands]"]
    for row in result["bands"]:
        is_time = row["unit"] == "ms"
        if is_time and row["measure"] not in TIMES:
            continue
        about = f"sd {row['sd']:.6g} {row['unit']}, {row['df']} degrees of freedom"
        name = json.dumps(row["measure"], ensure_ascii=False)
        if row["band"] is None:
            lines.append(f"# {name}: too few repeats")
        elif is_time:  # a protocol has bands of its metrics, and none of times
            lines.append(f"# {name}: {row['band']:.6g} ms ({about})")
        else:
            lines.append(f"{name} = {float(row['band'])!r}  # {about}")
    return "\n".join(lines) + "\n"
