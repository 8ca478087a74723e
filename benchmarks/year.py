"""A year of nights: false pages a year and delays of detection, in kinds of traffic that teams have.

    python -m benchmarks.year --kind plain,churn30 --seeds 1-3 --nights 120 --into nights.jsonl
    python -m benchmarks.year --picture nights.jsonl docs/year.svg

A service of labelled queries with Zipf repeats is simulated night by night and judged by the product's own ``drift(series=True)``. Nothing
here was used for tuning with seeds of 1000 and more.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import recallwatch

START = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)  # a Monday
WARM_UP = 28  # nights before the budget holds: the reference is not full yet
ONSET = 45
MEAN = 0.76  # recall of the service, about
WIDTH = 900  # px of the picture's cells


@dataclass(frozen=True)
class Kind:
    """A kind of traffic.

    Args:
        churn: share of the queries that get another list for a night.
        day: standard deviation of recall from night to night, ratio.
        weekend: recalls of a weekend day, as a share of a working day's.
        lives: days that a question is asked; 0 = for ever.
        growth: of the recalls a night.
        tenants: number.
        replay: all recalls within one hour.
        whole_ms: a clock of whole milliseconds.
        rate: standard deviation of the log of the error rate, from night to night.
        ar: correlation of the load from hour to hour.
    """

    churn: float = 0.15
    day: float = 0.0
    weekend: float = 1.0
    lives: int = 0
    growth: float = 0.0
    tenants: int = 4
    replay: bool = False
    whole_ms: bool = False
    rate: float = 0.3
    ar: float = 0.5


KINDS = {
    "plain": Kind(),
    "churn05": Kind(churn=0.05),
    "churn30": Kind(churn=0.30),
    "day02": Kind(day=0.02),
    "day05": Kind(day=0.05),
    "weekend30": Kind(weekend=0.3),
    "lives7": Kind(lives=7),
    "lives30": Kind(lives=30),
    "growth": Kind(growth=0.005),
    "decline": Kind(growth=-0.005),
    "tenants200": Kind(tenants=200),
    "replay": Kind(replay=True),
    "whole_ms": Kind(whole_ms=True),
    "rates": Kind(rate=1.0),
    "ar90": Kind(ar=0.9),
}
LATER = 8  # nights more that are played, to show a delay that is longer
CHANGES = {"minus5": (0.05, 0.0, 2), "minus2": (0.02, 0.0, 10), "leak": (0.0, 0.002, 15)}  # step, a night, nights to see it in


class Service:
    """Nights of a service as Arrow tables.

    Args:
        kind: of its traffic.
        seed: of everything, with the kind: no two kinds share a night.
        queries: labelled ones at a time.
        recalls: a night.
    """

    def __init__(self, kind: Kind, seed: int, *, queries: int = 200, recalls: int = 1500) -> None:
        self.kind, self.random, self.recalls = kind, np.random.default_rng([seed, zlib.crc32(repr(kind).encode())]), recalls
        self.popularity = 1 / np.arange(1, queries + 1)
        self.ids = np.arange(queries)
        self.next = queries
        self.chance = 1 / (1 + np.exp(-self.random.normal(1.3, 0.9, queries)))
        self.hits = self.random.random((queries, 4)) < self.chance[:, None]
        self.loss = self.random.random((queries, 4))  # the share that must be lost for a document to be among them,
        # of those that are found by rank: so many are lost as are said
        self.loss[self.hits] = (np.argsort(np.argsort(self.loss[self.hits])) + 0.5) / self.hits.sum()
        self.mean = float(self.hits.mean())
        self.speed = self.random.normal(0, 0.15, queries)

    def night(self, no: int, lost: float) -> pa.Table:
        """One night, which finds so much less of what is relevant: recall by query, ratio."""
        kind, r, q = self.kind, self.random, len(self.ids)
        if kind.lives:
            dead = r.random(q) < 1 / kind.lives
            self.ids = np.where(dead, self.next + np.arange(q), self.ids)
            self.next += q
        else:
            dead = np.zeros(q, bool)
        self.hits = np.where(dead[:, None], r.random((q, 4)) < self.chance[:, None], self.hits)
        redrawn = r.random(q) < kind.churn
        shown = np.where(redrawn[:, None], r.random((q, 4)) < self.chance[:, None], self.hits) & (self.loss >= lost / self.mean)
        if (move := r.normal(0, kind.day) / MEAN) < 0:
            shown &= r.random((q, 4)) >= -move
        else:
            shown |= r.random((q, 4)) < move * MEAN / (1 - MEAN)
        is_weekend = (START + dt.timedelta(days=no)).weekday() >= 5
        n = int(r.poisson(self.recalls * (1 + kind.growth) ** no * (kind.weekend if is_weekend else 1)))
        weight = self.popularity * np.exp(r.normal(0, 0.3, q))
        query = r.choice(q, n, p=weight / weight.sum())
        hour = np.full(n, 2) if kind.replay else r.integers(0, 24, n)
        load = np.empty(24)
        x = r.normal(0, 0.05)
        for h in range(24):
            x = kind.ar * x + r.normal(0, 0.05 * math.sqrt(1 - kind.ar**2))
            load[h] = x
        ms = 20 * np.exp(self.speed[query] + load[hour] + r.normal(0, 0.4, n))
        ms = np.rint(ms) if kind.whole_ms else ms
        at = (
            np.datetime64(START.replace(tzinfo=None), "us")
            + np.timedelta64(no, "D")
            + (hour * 3_600_000_000 + r.integers(0, 3_600_000_000, n))
        )
        error = r.random(n) < min(0.003 * math.exp(r.normal(0, kind.rate)), 0.5)
        lists = [[f"d{i}_{j}" for j in range(4) if shown[no_, j]] for no_, i in enumerate(self.ids)]
        lists = [(some + [f"x{i}_{j}" for j in range(10)])[:10] for some, i in zip(lists, self.ids, strict=True)]
        ranked = pa.array([*lists, []]).take(pa.array(np.where(error, q, query)))
        names = pa.array([f"q{i}" for i in self.ids])
        return pa.table(
            {
                "event_id": pa.array([f"{no}-{i}" for i in range(n)]),
                "timestamp": pa.array(at, pa.timestamp("us", "UTC")),
                "query_id": names.take(pa.array(query)),
                "query_class": pa.array(["a", "b", "c"]).take(pa.array(query % 3)),
                "tenant_id": pa.array([f"t{i}" for i in range(kind.tenants)]).take(pa.array(r.integers(0, kind.tenants, n))),
                "ranked_ids": ranked,
                "total_ms": ms,
                "status": pa.array(["ok", "error"]).take(pa.array(error.astype(np.int64))),
            }
        )

    def labels(self) -> pa.Table:
        """Four relevant documents and two judged ones of every query that was ever asked."""
        rows = [
            (f"q{i}", f"{k}{i}_{j}", int(k == "d")) for i in range(self.next) for k in "dx" for j in range(4 if k == "d" else 2)
        ]
        return pa.table(dict(zip(("query_id", "document_id", "grade"), map(list, zip(*rows, strict=True)), strict=True)))


def run(kind: Kind, seed: int, nights: int, change: str = "", **sizes: int) -> recallwatch.Drift:
    """A series of nights, judged."""
    step, leak, _ = CHANGES.get(change, (0.0, 0.0, 0))
    service = Service(kind, seed, **sizes)
    tables = [service.night(no, 0.0 if no < ONSET else step + leak * (no - ONSET + 1)) for no in range(nights)]
    labels = service.labels()
    return recallwatch.drift(pa.concat_tables(tables), labels, window="day", series=True, threads=1)


def unchanged(kind: str, seeds: list[int], nights: int, into: Path | None, **sizes: int) -> tuple[int, int, int, dict[str, int]]:
    """Nights after the warm-up, those that fail, those with any claim, and failures by test; verdicts are added to a file, a line a series."""
    n = fails = claims = 0
    by: dict[str, int] = {}
    for seed in seeds:
        windows = run(KINDS[kind], seed, nights, **sizes).windows
        if into is not None:
            with into.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"kind": kind, "seed": seed, "verdicts": [window.verdict for window in windows]}) + "\n")
        for window in windows[WARM_UP - 1 :]:
            n += 1
            fails += window.verdict == "fail"
            claims += window.verdict in ("fail", "warn", "improved")
            for finding in window.findings:
                if finding.verdict in ("fail", "warn", "improved"):
                    name = f"{finding.measured.test} {finding.verdict}"
                    by[name] = by.get(name, 0) + 1
    return n, fails, claims, by


def detected(kind: Kind, seeds: list[int], change: str, **sizes: int) -> list[int | None]:
    """Nights from the onset to the first failure of quality, each series; None = none within the nights played."""
    within = CHANGES[change][2]
    delays: list[int | None] = []
    for seed in seeds:
        result = run(kind, seed, ONSET + within + LATER, change, **sizes)
        late = [
            w for w in result.windows if w.current["from"] >= (START + dt.timedelta(days=ONSET)).isoformat().replace("+00:00", "Z")
        ]
        places = [i for i, window in enumerate(late, 1) if window.verdicts()["quality"] == "fail"]
        delays.append(places[0] if places else None)
    return delays


def interval(k: int, n: int) -> tuple[float, float]:
    """95 % interval of a rate (Clopper & Pearson 1934)."""
    from scipy.stats import beta

    return (float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0), (float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0)


def picture(nights: Path) -> str:
    """Series under each other, a cell a night in the colour of its verdict, as SVG."""
    import vl_convert

    series = [json.loads(line) for line in nights.read_text(encoding="utf-8").splitlines()]
    rows = [
        {"series": f"{one['kind']} {one['seed']}", "night": night, "verdict": verdict}
        for one in series
        for night, verdict in enumerate(one["verdicts"], 2)
    ]
    nights_of = max(row["night"] for row in rows)
    step, apart = max(2, WIDTH // nights_of), 10 if nights_of <= WIDTH // 6 else 30
    ticks = list(range(apart, nights_of + 1, apart))
    colours = {"fail": "#b3261e", "warn": "#d98a00", "improved": "#2b6cb0", "insufficient": "#c9ccd1", "ok": "#d7ecd9"}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "data": {"values": rows},
        "mark": "rect",
        "width": {"step": step},
        "height": {"step": 12},
        "encoding": {
            "x": {"field": "night", "type": "ordinal", "axis": {"title": "night", "values": ticks, "labelAngle": 0, "ticks": False}},
            "y": {"field": "series", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False, "labelPadding": 6}},
            "color": {"field": "verdict", "scale": {"domain": list(colours), "range": list(colours.values())}, "legend": {"title": None, "orient": "top"}},
        },
        "config": {"view": {"stroke": None}, "font": "sans-serif", "aria": False},
    }  # fmt: skip
    return str(vl_convert.vegalite_to_svg(spec))


def main(arguments: list[str] | None = None) -> None:
    """Print a row a kind of traffic."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--seeds", default="1000-1001", help="A-B; not used for tuning from 1000 on")
    parser.add_argument("--nights", type=int, default=120)
    parser.add_argument("--recalls", type=int, default=1500)
    parser.add_argument("--change", default="", help=f"{', '.join(CHANGES)}; without: unchanged nights")
    parser.add_argument("--into", type=Path, help="a file that the verdicts of unchanged nights are added to")
    parser.add_argument("--picture", type=Path, nargs=2, metavar=("NIGHTS", "SVG"), help="draw such a file, and measure nothing")
    given = parser.parse_args(arguments)
    if given.picture:
        given.picture[1].write_text(picture(given.picture[0]), encoding="utf-8")
        return
    first, _, last = given.seeds.partition("-")
    seeds = list(range(int(first), int(last or first) + 1))
    for name in given.kind.split(","):
        if given.change:
            delays = detected(KINDS[name], seeds, given.change, recalls=given.recalls)
            seen = sum(delay is not None and delay <= CHANGES[given.change][2] for delay in delays)
            low, high = interval(seen, len(delays))
            what = f"{given.change}: within {CHANGES[given.change][2]} nights {seen} of {len(delays)}"
            text = f"{what} ({100 * low:.0f}–{100 * high:.0f} %); delays {delays}"
        else:
            n, fails, claims, by = unchanged(name, seeds, given.nights, given.into, recalls=given.recalls)
            low, high = interval(fails, n)
            text = f"{n} nights: fail {365 * fails / n:.1f} a year ({365 * low:.1f}–{365 * high:.1f}), any claim {100 * claims / n:.1f} %; {by}"
        print(f"{name:12} {text}", flush=True)


if __name__ == "__main__":
    main()
