"""How often changed answers are seen without labels, right and wrong, in simulated services; writes the table of docs/answers.md.

    python benchmarks/answers.py --simulator FOLDER --worlds 10 --seeds 7000,11000 [--churn 0.05,0.15,0.30] [--write]

FOLDER holds `drift_sim.py`, the simulator. Each world is a series of 18 nights that `recallwatch.drift` reads as Parquet, no label among
them: 14 unchanged ones, one with 10 % of the slots replaced for good, an unchanged one, one with 5 % of the documents deleted, and one that
lost 5 points of recall. A window that is flagged is no reference for the next.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import recallwatch

PAGE = Path(__file__).parents[1] / "docs" / "answers.md"
START, END = "<!-- figures -->", "<!-- end of figures -->"
NIGHTS = (*["unchanged"] * 14, "replaced", "unchanged", "deleted", "recall")
HISTORY = 7  # windows from which on a verdict is no longer provisional
MEANING = {
    "provisional": "unchanged, under seven nights of history: flagged",
    "unchanged": "unchanged: flagged (≤ 1 %)",
    "replaced": "10 % of the slots replaced for good: flagged (≥ 95 %)",
    "deleted": "5 % of the documents deleted: flagged",
    "named": "deleted documents that were shown on three nights or more: named (≥ 95 %)",
    "right": "the first 50 documents named: were deleted",
    "recall": "recall −5 points: flagged",
}


def main() -> None:
    """Measure, print, and put the table into the page where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulator", required=True)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--seeds", default="7000,11000")
    parser.add_argument("--churn", default="0.05,0.15,0.30")
    parser.add_argument("--events", type=int, default=5000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sys.path.insert(0, given.simulator)
    import drift_sim

    churns = [float(churn) for churn in given.churn.split(",")]
    seeds = [int(first) + i for first in given.seeds.split(",") for i in range(given.worlds)]
    started = time.time()
    figures = {churn: measured(drift_sim, seeds, churn, given.events) for churn in churns}
    lines = [
        "| share of rankings that churn each night | " + " | ".join(f"{churn:.0%}".replace("%", " %") for churn in churns) + " |"
    ]
    lines.append("|---" * (len(churns) + 1) + "|")
    lines += [f"| {meaning} | {' | '.join(share(figures[churn], name) for churn in churns)} |" for name, meaning in MEANING.items()]
    lines += [
        "",
        f"{len(seeds)} worlds a column, seeds from {given.seeds}, 18 nights of {given.events:,} recalls; {time.time() - started:.0f} s.",
    ]
    print("\n".join(lines))
    if given.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.partition(START)[0], text.partition(END)[2]
        PAGE.write_text("\n".join([before + START, *lines, END]) + after, encoding="utf-8")


def share(counts: Counter[tuple[str, str]], name: str) -> str:
    """Cases of all, as a text."""
    n, hits = counts[name, "n"], counts[name, "hits"]
    return f"{100 * hits / n:.1f} % of {n:,}" if n else "–"


def measured(sim: Any, seeds: list[int], churn: float, events: int) -> Counter[tuple[str, str]]:
    """Hits and cases by what a night is."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            deleted = write(sim, seed, churn, events, Path(folder))
            result = recallwatch.drift(folder, window="day", series=True, threads=1)
        for no, window in enumerate(result.windows or (), 1):
            kind = "provisional" if no < HISTORY else NIGHTS[no]
            counts[kind, "n"] += 1
            counts[kind, "hits"] += window.verdicts()["answers"] == "warn"
            if kind == "deleted":
                named = [
                    row["document_id"]
                    for finding in window.findings
                    if finding.measured.test == "documents_gone"
                    for row in finding.measured.where
                ]
                counts["named", "n"] += len(deleted)
                counts["named", "hits"] += len(deleted & set(named))
                counts["right", "n"] += len(named[:50])
                counts["right", "hits"] += sum(is_deleted(document) for document in named[:50])
        print(f"churn {churn:g}, seed {seed}: {dict(counts)}", file=sys.stderr, flush=True)
    return counts


def write(sim: Any, seed: int, churn: float, events: int, folder: Path) -> set[str]:
    """The nights of a world as Parquet; returns the deleted documents that three of the seven nights before showed, for queries still asked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    world, seen, asked = sim.World(seed), [], set()
    for no, kind in enumerate(NIGHTS):
        effect = sim.Effect(recall_drop=0.05) if kind == "recall" else sim.Effect()
        window = sim.simulate_window(world, np.random.default_rng([seed, 100 + no]), effect, events, no, 0.0, churn=churn)
        path = folder / f"night{no:02}.parquet"
        sim.write_window(window, world, str(path), seed=seed)
        table = pq.read_table(path).select(["event_id", "ts", "query_id", "ranked_ids", "error"])
        lists = table["ranked_ids"].to_pylist()
        if kind in ("replaced", "deleted"):
            lists = [[changed(document, kind, i) for i, document in enumerate(one)] for one in lists]
            table = table.set_column(3, "ranked_ids", pa.array(lists, pa.list_(pa.string())))
        if kind == "deleted":
            asked = set(table["query_id"].to_pylist())
        pq.write_table(table, path)
        seen.append({document for one in lists for document in one})
    last = [no for no in range(NIGHTS.index("deleted")) if NIGHTS[no] == "unchanged"][-HISTORY:]
    usual = Counter(document for no in last for document in seen[no])
    return {
        document for document in usual if usual[document] >= 3 and is_deleted(document) and f"q{int(document[1:]) // 100}" in asked
    }


def changed(document: str, kind: str, place: int) -> str:
    """What stands in a slot after the change: the same document of a query changes into the same other one."""
    if kind == "replaced":
        return f"{document}-new" if draw(document, 1) < 0.10 else document
    return f"{document[:-2]}9{place}" if is_deleted(document) else document


def is_deleted(document: str) -> bool:
    """One document in twenty."""
    return draw(document, 2) < 0.05


def draw(document: str, salt: int) -> float:
    """A number of a document that looks random, 0..1."""
    return zlib.crc32(f"{salt} {document}".encode()) / 2**32


if __name__ == "__main__":
    main()
