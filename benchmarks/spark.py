"""Spark against one DuckDB process on the same files: the same bytes, and what the way over the cluster costs.

    python -m benchmarks.spark [--events 1000000] [--repeats 3] [--master 'local-cluster[2,1,1024]'] [--folder DIR]

One process: recallwatch.evaluate with two threads, in this process, so that start-up counts on neither side. Warm: the
session stands and has evaluated once. Goal: the median of the warm runs is at most 5 x that of one process.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .processes import machine, telemetry

GOAL = 5.0  # times one process, warm
MASTER = "local-cluster[2,1,1024]"
METRICS = ("recall@10", "precision@10", "mrr", "ndcg@10")


def timed(evaluate: Callable[[], Any]) -> tuple[float, str]:
    """Wall seconds of one evaluation, and its JSON without what says what was read, and by which files of sql/."""
    started = time.perf_counter()
    found = evaluate().to_dict()
    wall = time.perf_counter() - started
    del found["read"], found["state_key"]
    return wall, json.dumps(found)


def measure(logs: Path, labels: Path, master: str, repeats: int) -> dict[str, tuple[list[float], set[str]]]:
    """Each way in turn, after one run of each that does not count; the first Spark run is kept as `cold`."""
    import recallwatch
    from recallwatch.spark import evaluate, session

    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 1g pyspark-shell")
    started = time.perf_counter()
    spark = session(master)
    found: dict[str, tuple[list[float], set[str]]] = {"session": ([time.perf_counter() - started], set())}
    frame = spark.read.parquet(str(logs))
    ways: dict[str, Callable[[], Any]] = {
        "one process": lambda: recallwatch.evaluate(logs, labels, metrics=METRICS, threads=2),
        "Spark, paths": lambda: evaluate(spark, str(logs), labels, metrics=METRICS),
        "Spark, data": lambda: evaluate(spark, frame, labels, metrics=METRICS),
    }
    try:
        for number in range(repeats + 1):
            for name, way in ways.items():
                wall, text = timed(way)
                walls, texts = found.setdefault(name if number else f"{name}, cold", ([], set()))
                walls.append(wall)
                texts.add(text)
    finally:
        spark.stop()
    return found


def main() -> None:
    """Print the table; no figure is a failure, other bytes are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--master", default=MASTER)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "recallwatch-benchmarks")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    data = telemetry(given.folder, given.events)
    found = measure(data / "events", data / "labels.parquet", given.master, given.repeats)
    alone = statistics.median(found["one process"][0])
    print(f"{machine()}\n\n{given.events:,} events, {given.master}, medians of {given.repeats}")
    for name, (walls, _texts) in found.items():
        wall = statistics.median(walls)
        ratio = f"{wall / alone:6.1f} x one process (goal {GOAL:g})" if name in ("Spark, paths", "Spark, data") else ""
        print(f"{name:22}{wall:9.2f} s  {ratio}")
    texts = {text for _walls, seen in found.values() for text in seen}
    print("bytes: the same" if len(texts) == 1 else "bytes: NOT the same")
    if len(texts) != 1:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
