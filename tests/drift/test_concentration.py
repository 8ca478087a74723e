"""Whose loss it is: the search over values and pairs of values, against a plain loop, from logs and from a store."""

from __future__ import annotations

import datetime as dt
import random
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.engine import Engine

sys.path.append(str(Path(__file__).parents[2]))
from benchmarks.causes import KINDS
from benchmarks.causes_worlds import FIRST, World

Row = dict[str, Any]


def sums(seed: int) -> list[Row]:
    """Both sides of 30 queries, asked by two tenants from three devices with one of two versions; recalls of one device on version b have lost."""
    chance, rows = random.Random(seed), []
    for side in ("reference", "current"):
        for label in range(30):
            for device in ("x", "y", "z"):
                for version in ("a",) if side == "reference" else ("a", "b"):
                    if chance.random() < 0.85:
                        n, lost = chance.randint(1, 4), device == "y" and version == "b"
                        values = {"device": device, "version": version, "tenant": f"t{label % 2}"}
                        good = chance.randint(0, n) / 4 if lost else n - chance.choice((0, 0, 0.5))
                        rows.append({"side": side, "label": label, "values": values, "n": n, "s": good})
    return rows


def weighed(units: list[tuple[int, float, int, float]]) -> Row:
    """Weighted sums of (n, mean) before and now."""
    w = [n * m / (n + m) / (n * m / (n + m) + 1) for n, _, m, _ in units]
    d = [after - before for _, before, _, after in units]
    whole = sum(w)
    return {
        "m": len(units), "w": whole, "effective": whole**2 / sum(x * x for x in w), "d": sum(x * y for x, y in zip(w, d, strict=True)) / whole,
        "squares": sum(x * y * y for x, y in zip(w, d, strict=True)), "loss": sum(m * y for (_, _, m, _), y in zip(units, d, strict=True)),
        "n": sum(m for _, _, m, _ in units), "after": sum(x * u[3] for x, u in zip(w, units, strict=True)) / whole,
    }  # fmt: skip


def by_loop(rows: list[Row], cell: tuple[tuple[str, str], ...]) -> Row:
    """One cell, from the definition in the head of sql/5_drift/cells.sql."""

    def amount(label: int | None, side: str, inside: bool | None) -> tuple[float, float]:
        own = [
            r
            for r in rows
            if label in (None, r["label"]) and r["side"] == side and inside in (None, set(cell) <= set(r["values"].items()))
        ]
        return sum(r["n"] for r in own), sum(r["s"] for r in own)

    share = [amount(None, side, True)[0] / amount(None, side, None)[0] for side in ("reference", "current")]
    is_new = share[0] < share[1] / 10
    parts = {}
    for inside in (True, False):
        units = []
        for label in range(30):
            (n, s), (m, t) = amount(label, "reference", None if is_new else inside), amount(label, "current", inside)
            if n and m:
                units.append((int(n), s / n, int(m), t / m))
        parts[inside] = weighed(units)
    i, o = parts[True], parts[False]
    mean = (i["w"] * i["d"] + o["w"] * o["d"]) / (i["w"] + o["w"])
    k, variance = i["effective"] + o["effective"], (i["squares"] + o["squares"]) / (i["w"] + o["w"]) - mean**2
    return {
        "effect": i["d"] - o["d"], "se": (variance * k / (k - 1) * (1 / i["effective"] + 1 / o["effective"])) ** 0.5,
        "df": min(i["effective"], o["effective"]) - 1, "n_queries": min(i["m"], o["m"]), "after": i["after"], "other_after": o["after"],
        "share_of_change": i["loss"] / (i["loss"] + o["loss"]), "share_of_traffic": i["n"] / (i["n"] + o["n"]),
    }  # fmt: skip


def by_sql(rows: list[Row]) -> list[Row]:
    """The same of sql/, sums of a query split over two rows."""
    engine = Engine()
    try:
        kinds = {
            "side": "varchar",
            "label_no": "integer",
            "traits": "struct(name varchar, shared varchar)[]",
            "n": "bigint",
            "s": "decimal(38, 12)",
        }
        engine.values("cell_sides", kinds, [])
        for r in rows:
            traits = [{"name": name, "shared": value} for name, value in r["values"].items()]
            for n, s in ((r["n"], r["s"]), (0, 0)):
                engine.run("insert into cell_sides values (?, ?, ?, ?, ?)", [r["side"], r["label"], traits, n, s])
        engine.options(opt_kappa=1.0, cell_sign=1)
        for name in ("0_options.sql", "4_aggregate/exact.sql", "5_drift/cells.sql"):
            engine.file(name)
        return engine.rows("from cells")
    finally:
        engine.close()


def test_the_sums_are_those_of_a_plain_loop() -> None:
    """Every value, and every pair of values that each hold the loss: effect, error, shares; the pair that lost holds most in the least traffic."""
    rows = sums(3)
    cells = {tuple(sorted((t["name"], t["shared"]) for t in row["cell"])): row for row in by_sql(rows)}
    singles = {item for r in rows for item in r["values"].items()} - {("version", "a")}  # no recall before was without it
    assert {cell for cell in cells if len(cell) == 1} == {(item,) for item in singles}
    assert (("device", "y"), ("version", "b")) in cells
    for cell, row in cells.items():
        expected = by_loop(rows, cell)
        assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)
        n_pairs = sum(a[0] != b[0] for a, b in combinations(singles, 2))
        assert row["n_cells"] == 2 * (len(singles) if len(cell) == 1 else n_pairs)
    best = max(cells, key=lambda cell: cells[cell]["share_of_change"] - cells[cell]["share_of_traffic"])
    assert best == (("device", "y"), ("version", "b"))


def test_a_pair_of_values_is_named_from_logs_and_from_a_store(tmp_path: Path) -> None:
    """Recalls of one tenant on one device get other lists: the pair is the cause, with its figures; a store says the same."""
    world, at = World(7), FIRST + dt.timedelta(days=3)
    events = [event for n in range(3) for event in world.night(n)] + world.night(3, KINDS["filter on one tenant on one device"][1])
    pq.write_table(pa.Table.from_pylist(events), tmp_path / "log.parquet")
    sides = {"reference": f"{FIRST:%Y-%m-%d}..{at:%Y-%m-%d}", "current": f"{at:%Y-%m-%d}..{at + dt.timedelta(days=1):%Y-%m-%d}"}
    causes = recallwatch.drift(str(tmp_path / "log.parquet"), world.labels, **sides).to_dict()["causes"]
    assert causes[0]["segment"] == {"device": "d1", "tenant_id": "acme"}
    assert causes[0]["share_of_change"] == 1 > 3 * causes[0]["share_of_traffic"]
    assert causes[0]["p_value"] < 0.01
    recallwatch.evaluate(str(tmp_path / "log.parquet"), world.labels, store=tmp_path / "store")
    assert recallwatch.drift(store=tmp_path / "store", **sides).to_dict()["causes"] == causes
