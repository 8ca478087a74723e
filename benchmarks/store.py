"""What a store costs: a night, a full run, new labels, a query, bytes, kills.

    python benchmarks/store.py --days 30 --events 1000000

Prints sizes, machine and versions with every figure; nothing is asserted. ``--kills 200`` also runs the kill test that long.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import platform
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow

import recallwatch
from recallwatch.store import ingest
from recallwatch.store.sql_query import ask

LIMIT = "12GB"


def make_day(folder: Path, day: int, n: int) -> Path:
    """A Parquet log of one UTC day: 10 ids a recall, three stages, 2,000 queries of which a tenth is labelled."""
    path = folder / f"day-{day:03}.parquet"
    duckdb.sql("set preserve_insertion_order = false")
    duckdb.sql(
        f"""copy (select 'e' || ({day} * {n} + i) as event_id,
            timestamptz '2026-01-01 00:00:00+00' + interval ({day}) day + to_microseconds((i * 86400000000 // {n})::bigint) as "timestamp",
            'q' || (hash(i, {day}) % 2000) as query_id, 'tenant' || (i % 5) as tenant_id,
            list_transform(range(10), lambda r: 'd' || (hash(i, r, {day}) % 50000)) as ranked_ids,
            map {{'embed': 1 + random() * 3, 'search': exp(random() * 3), 'rerank': 5 + random() * 20}} as stage_ms,
            10 + exp(random() * 4) as total_ms, 1e-6 * (i % 7) as cost_usd, i % 8 = 0 as cache_hit, 'ok' as status
            from range({n}) as t(i)) to '{path}' (format parquet, compression zstd)"""
    )
    return path


def make_labels(folder: Path, name: str, shift: int) -> Path:
    """200 labelled queries, five documents each."""
    path = folder / name
    duckdb.sql(
        f"""copy (select 'q' || q as query_id, 'd' || ((q * 37 + d * 11 + {shift}) % 50000) as document_id, 1.0 as grade
            from range(200) as a(q), range(5) as b(d)) to '{path}' (format parquet)"""
    )
    return path


def timed(what: str, work: Callable[[], Any], seconds: dict[str, float]) -> Any:
    """Run, remember and print."""
    start = time.perf_counter()
    result = work()
    seconds[what] = time.perf_counter() - start
    print(f"{what:<44} {seconds[what]:8.2f} s", flush=True)
    return result


def bytes_of(folder: Path) -> int:
    """Size of everything in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(root: Path, days: int, n: int) -> None:
    """All figures of one size."""
    logs, store = root / "logs", root / "store"
    logs.mkdir()
    for day in range(days + 1):
        make_day(logs, day, n)
    last = logs / f"day-{days:03}.parquet"
    aside = root / last.name
    last.rename(aside)
    old, new = make_labels(root, "old.parquet", 0), make_labels(root, "new.parquet", 7)
    seconds: dict[str, float] = {}
    given: dict[str, Any] = {"memory_limit": LIMIT}
    timed(f"{days} days: ingest and evaluate", lambda: recallwatch.evaluate([logs], old, store=store, **given), seconds)
    aside.rename(last)
    timed("one more night: ingest and evaluate", lambda: recallwatch.evaluate([logs], store=store, **given), seconds)
    timed("nothing new: ingest", lambda: ingest([logs], store=store, **given), seconds)
    timed("evaluate the store", lambda: recallwatch.evaluate(store=store, **given), seconds)
    timed("evaluate the store by day", lambda: recallwatch.evaluate(store=store, window="day", **given), seconds)
    query = "select avg(recall_at_k(judged, 10)) from recalls where day_utc = '2026-01-03'"
    timed("a view query over one day", lambda: ask(store, query), seconds)
    timed("one-shot evaluate of all logs", lambda: recallwatch.evaluate([logs], old, **given), seconds)
    timed("relabel: evaluate --store --labels new", lambda: recallwatch.evaluate(store=store, labels=new, **given), seconds)
    drift(store, days - 2, seconds)
    full, night = seconds[f"{days} days: ingest and evaluate"], seconds["one more night: ingest and evaluate"]
    relabel, one_shot = seconds["relabel: evaluate --store --labels new"], seconds["one-shot evaluate of all logs"]
    print(f"a night / a full run: 1/{full / night:.1f} · relabel / one-shot: {relabel / one_shot:.2f}")
    kept, given_bytes = bytes_of(store), bytes_of(logs)
    print(
        f"store / logs: {kept / given_bytes:.2f} ({kept:,} / {given_bytes:,} bytes), events alone {bytes_of(store / 'events') / given_bytes:.2f}"
    )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def drift(store: Path, day: int, seconds: dict[str, float]) -> None:
    """Two days of a store against each other: their sums made, then kept; CPU seconds beside, for a machine that others use too."""
    first = dt.date(2026, 1, 1) + dt.timedelta(days=day)
    a, b, c = (str(first + dt.timedelta(days=i)) for i in range(3))
    for what in ("drift of two days: sums made", "drift of two days: sums kept"):
        started = time.process_time()
        timed(what, lambda: recallwatch.drift(store=store, reference=f"{a}..{b}", current=f"{b}..{c}", memory_limit=LIMIT), seconds)
        print(f"{'':<44} {time.process_time() - started:8.2f} s of CPU")


def kill(times: int) -> None:
    """The kill test of tests/store, so many times over."""
    sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "store")]
    import test_kill
    from store_logs import label_rows, write

    test_kill.KILLS = times
    with tempfile.TemporaryDirectory() as folder:
        labels = write(label_rows(), Path(folder) / "labels.jsonl")
        test_kill.test_killed_at_fifty_moments(Path(folder), labels)
    print(f"{times} kills: every state whole, the end that of an undisturbed run")


def main() -> None:
    """Make the logs, measure, clear up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--events", type=int, default=1_000_000, help="a day")
    parser.add_argument("--kills", type=int, default=0)
    asked = parser.parse_args()
    print(
        f"{platform.platform()}, {os.cpu_count()} cores · recallwatch {recallwatch.__version__}, duckdb {duckdb.__version__}, pyarrow {pyarrow.__version__}"
    )
    print(f"{asked.days} days x {asked.events:,} events x 10 ids")
    root = Path(tempfile.mkdtemp(prefix="recallwatch-bench-"))
    try:
        measure(root, asked.days, asked.events)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if asked.kills:
        kill(asked.kills)


if __name__ == "__main__":
    main()
