"""Every figure in one table, with its goal beside it.

    python -m benchmarks all [--sizes 1000000,10000000,100000000] [--repeats 3] [--folder DIR] [--json FILE] [--former FILE]

Whole processes, two threads each, run in turn; medians. `floor` = DuckDB reading the same columns of the same files and doing
nothing with them, in the same run; the ratio is (wall - start-up) / floor. What changes a store runs once, and so does a size
above 20 M, under ``--memory-limit 4GB``. Spark where pyspark is. ``--json`` keeps the rows; ``--former`` prints how each moved
since such a file was written. ``python -m benchmarks faults``: what kills and full disks leave. The others: ``python -m benchmarks.store`` etc.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import duckdb

from . import faults, formats, match, traces
from .evaluate import FOUR, command, runs_of, tiny
from .processes import Run, interleaved, machine, median, run, telemetry

US = [sys.executable, "-m", "recallwatch"]
ONCE_FROM = 20_000_000  # events
MATCHED = 100_000
DAYS = 90  # of the page
WIDE = {"events": 10_000, "ids": 1_000, "labels": 2_000, "queries": 50}
JOIN = """with l as (from '{0}/labels.parquet'), n as (select query_id, count(*) as r from l group by query_id),
u as (select event_id, query_id, unnest(ranked_ids) as d, generate_subscripts(ranked_ids, 1) as rank from '{0}/logs.parquet'),
h as (select u.event_id, any_value(u.query_id) as query_id, count(*) filter (rank <= 10) as h10, min(rank) as f
    from u join l on l.query_id = u.query_id and l.document_id = u.d group by u.event_id)
select avg(h10 / r), avg(h10 / 10), sum(1.0 / f) from h join n using (query_id)"""


@dataclass
class Row:
    """One line of the table: seconds, MiB, times the floor."""

    size: int
    what: str
    wall: float
    cpu: float | None
    peak: float | None
    ratio: float | None = None
    goal: str = ""


def row(size: int, what: str, runs: Sequence[Run], *, start: float = 0.0, floor: float | None = None, goal: str = "") -> Row:
    """Medians of some runs, beside the floor of the same run where there is one."""
    wall, cpu, peak = (median(list(runs), figure) for figure in ("wall", "cpu", "peak"))
    return Row(size, what, wall, cpu, peak, None if floor is None else (wall - start) / floor, goal)


def start_up(folder: Path, repeats: int) -> Iterator[Row]:
    """What a process costs before it has read anything."""
    commands: dict[str, Sequence[str | Path]] = {
        "import recallwatch": [sys.executable, "-c", "import recallwatch"],
        "--help": [*US, "--help"],
        "evaluate three recalls": command(*tiny(folder), *FOUR),
    }
    goals = {"import recallwatch": "0.1 s", "--help": "0.25 s"}
    for name, runs in interleaved(commands, repeats=repeats).items():
        yield row(3, name, runs, goal=goals.get(name, ""))


def evaluate(folder: Path, events: int, repeats: int) -> Iterator[Row]:
    """`evaluate` of Parquet against the floor and pytrec_eval."""
    found = runs_of(folder, events, repeats)
    start, floor = median(found.pop("start-up"), "wall"), median(found["scan floor"], "wall")
    goals = {"evaluate, 4 metrics": "2 x", "evaluate, all metrics at 4 k": "3.5 x", "pytrec_eval": "25 x ours"}
    for name, runs in found.items():
        ours = name.startswith("evaluate")
        yield row(
            events,
            name,
            runs,
            start=start if ours else 0.0,
            floor=None if name == "scan floor" else floor,
            goal=goals.get(name, ""),
        )


def large(folder: Path, events: int, small: Row) -> Iterator[Row]:
    """A size that memory does not hold: once, against the same four metrics at the smallest size."""
    data = telemetry(folder, events)
    found = run(command(data / "events", data / "labels.parquet", *FOUR, "--memory-limit", "4GB"))
    goal = f"{1.1 * events / small.size:.0f} x, 4608 MiB"
    yield row(events, f"4 metrics, 4GB ({found.wall / small.wall:.0f} x that of {small.size:,})", [found], goal=goal)


def matched(folder: Path) -> Iterator[Row]:
    """Ten texts of 200 words a recall against an expected text."""
    for way, runs in interleaved(match.commands(folder, MATCHED, "exact", "token_f1"), repeats=1).items():
        yield row(MATCHED, f"--match {way}", runs, goal="20 s")


def questions(folder: Path, events: int, repeats: int) -> Iterator[Row]:
    """Five searches answer a question, against each alone: CPU seconds."""
    found = traces.runs_of(folder, events, 5, repeats)
    alone = median(found["event"], "cpu")
    for unit, runs in found.items():
        told = row(events, f"--unit {unit}, five searches a trace", runs, goal="2.5 x event" if unit == "trace" else "")
        yield replace(told, ratio=median(runs, "cpu") / alone if unit == "trace" else None)


def spark(folder: Path, events: int, repeats: int) -> Iterator[Row]:
    """Warm Spark evaluations against one process, start-up on neither side; nothing where pyspark is not installed."""
    if importlib.util.find_spec("pyspark") is None:
        return
    from .spark import GOAL, MASTER, measure

    data = telemetry(folder, events)
    found = measure(data / "events", data / "labels.parquet", MASTER, repeats)
    alone = statistics.median(found["one process"][0])
    for name in ("one process", "Spark, paths", "Spark, data"):
        wall = statistics.median(found[name][0])
        is_spark = name != "one process"
        ratio, goal = (wall / alone, f"{GOAL:g} x one") if is_spark else (None, "")
        yield Row(events, f"{name}, warm", wall, None, None, ratio, goal)


def store(folder: Path, events: int) -> Iterator[Row]:
    """A store's life: all days but the last, one more night, other labels, drift of two halves, the report; once each."""
    data, home = telemetry(folder, events), folder / "store"
    shutil.rmtree(home, ignore_errors=True)
    days = sorted((data / "events").iterdir())
    relabelled, out = folder / "relabelled.parquet", folder / "report.html"
    duckdb.sql(f"copy (from '{data}/labels.parquet' using sample 90 percent (bernoulli, 7)) to '{relabelled}' (format parquet)")
    given = ["--store", home, "--labels", data / "labels.parquet", "-f", "json", *FOUR]
    half = len(days) // 2
    first, middle, last = (str(days[i].name).split("=")[-1] for i in (0, half, -1))
    steps: dict[str, Sequence[str | Path]] = {
        "ingest and evaluate, all days but one": [*US, "evaluate", *days[:-1], *given],
        "one more night": [*US, "evaluate", *days, *given],
        "evaluate the store": [*US, "evaluate", *given],
        "relabel": [*US, "evaluate", "--store", home, "--labels", relabelled, "-f", "json", *FOUR],
        "drift of two halves, first time": [
            *US,
            "drift",
            home,
            "--reference",
            f"{first}..{middle}",
            "--current",
            f"{middle}..{last}",
        ],
        "drift of two halves, again": [*US, "drift", home, "--reference", f"{first}..{middle}", "--current", f"{middle}..{last}"],
        "report, first time": [*US, "report", home, "-o", out],
        "report, again": [*US, "report", home, "-o", out],
    }
    for name, step in steps.items():
        yield row(events, name, [run(step, may_differ=True)])
    shutil.rmtree(home, ignore_errors=True)


def page(folder: Path, events: int) -> Iterator[Row]:
    """The page of a store with 90 days behind it, five segments: its days' sums made, then kept, as on every morning."""
    data, home, out = telemetry(folder, events, days=DAYS), folder / "store", folder / "report.html"
    shutil.rmtree(home, ignore_errors=True)
    scored = [
        *US,
        "evaluate",
        *sorted((data / "events").iterdir()),
        "--store",
        home,
        "--labels",
        data / "labels.parquet",
        "-f",
        "json",
    ]
    run([*scored, *FOUR], may_differ=True)
    shown = [*US, "report", home, "--by", "query_class", "-o", out]
    yield row(events, f"page of {DAYS} days, first time", [run(shown)])
    yield row(events, f"page of {DAYS} days, again", [run(shown)], goal="10 s")
    shutil.rmtree(home, ignore_errors=True)


def texts(folder: Path, events: int, repeats: int) -> Iterator[Row]:
    """JSON lines and OTLP/JSON -> events."""
    out = folder / "formats.parquet"
    inputs = {
        "convert flat JSON lines": telemetry(folder, events, form="jsonl") / "events",
        "convert OTLP/JSON, 25,000 traces of 8 spans": formats.otlp(folder, 25_000, 1),
    }
    for name, runs in interleaved({what: formats.command(path, out) for what, path in inputs.items()}, repeats=repeats).items():
        path = inputs[name]
        size = sum(f.stat().st_size for f in [path, *path.rglob("*")] if f.is_file()) / 1e6
        yield row(events if "flat" in name else 25_000, f"{name} ({size / median(runs, 'wall'):.0f} MB/s)", runs)


def wide(folder: Path, repeats: int) -> Iterator[Row]:
    """Long rankings and long labels against a plain unnest and join."""
    home = folder / "wide"
    home.mkdir(exist_ok=True)
    duckdb.sql(
        f"""copy (select 'e' || i as event_id, 'q' || (i % {WIDE["queries"]}) as query_id,
            list_transform(range({WIDE["ids"]}), lambda r: 'd' || (hash(i, r) % 100000)) as ranked_ids from range({WIDE["events"]}) t(i))
        to '{home}/logs.parquet' (format parquet)"""
    )
    duckdb.sql(
        f"""copy (select distinct 'q' || q as query_id, 'd' || (hash(q, d, 1) % 100000) as document_id, 1.0 as grade
            from range({WIDE["queries"]}) a(q), range({WIDE["labels"]}) b(d)) to '{home}/labels.parquet' (format parquet)"""
    )
    plain = f"import duckdb; print(duckdb.connect(config={{'threads': 2}}).sql('''{JOIN.format(home)}''').fetchall())"
    commands: dict[str, Sequence[str | Path]] = {
        "start-up": command(*tiny(folder), *FOUR),
        "unnest and join": [sys.executable, "-c", plain],
        "evaluate 1,000 ids x 2,000 labels": command(home / "logs.parquet", home / "labels.parquet", *FOUR),
    }
    found = interleaved(commands, repeats=repeats)
    start, floor = median(found["start-up"], "wall"), median(found["unnest and join"], "wall")
    yield row(WIDE["events"], "unnest and join", found["unnest and join"])
    what = "evaluate 1,000 ids x 2,000 labels"
    yield row(WIDE["events"], what, found[what], start=start, floor=floor, goal="2 x")


def shown(rows: Sequence[Row], former: dict[str, float]) -> str:
    """The table; with a former run, wall seconds then and now."""
    lines = [
        f"{'events':>12}  {'what':52}{'wall s':>9}{'cpu s':>9}{'MiB':>8}{'x floor':>9}  {'goal':10}{'  was' if former else ''}"
    ]
    for r in rows:
        cpu, peak, ratio = ("" if v is None else f"{v:.{digits}f}" for v, digits in ((r.cpu, 2), (r.peak, 0), (r.ratio, 2)))
        was = former.get(f"{r.size} {r.what.split(' (')[0]}")
        told = "" if was is None else f"  {was:.2f} s"
        lines.append(f"{r.size:12,}  {r.what:52}{r.wall:9.2f}{cpu:>9}{peak:>8}{ratio:>9}  {r.goal:10}{told}")
    return "\n".join(lines)


def measure(folder: Path, sizes: Sequence[int], repeats: int) -> Iterator[Row]:
    """Every row, as it is measured."""
    yield from start_up(folder, repeats)
    small: Row | None = None
    for events in sizes:
        if small is not None and events >= ONCE_FROM:
            yield from large(folder, events, small)
            continue
        for found in evaluate(folder, events, repeats):
            small = small or (found if found.what == "evaluate, 4 metrics" else None)
            yield found
    yield from store(folder, sizes[0])
    yield from page(folder, sizes[0])
    yield from texts(folder, sizes[0], repeats)
    yield from wide(folder, repeats)
    yield from matched(folder)
    yield from questions(folder, sizes[0], repeats)
    yield from spark(folder, sizes[0], repeats)


def main() -> None:
    """Print one table."""
    if sys.argv[1:2] == ["faults"]:
        faults.main()
        return
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["all"])
    parser.add_argument("--sizes", default="1000000,10000000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "recallwatch-benchmarks")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--former", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    former = (
        {f"{r['size']} {r['what'].split(' (')[0]}": r["wall"] for r in json.loads(given.former.read_text())["rows"]}
        if given.former
        else {}
    )
    rows = []
    for found in measure(given.folder, [int(size) for size in given.sizes.split(",")], given.repeats):
        rows.append(found)
        print(f"{found.what}: {found.wall:.2f} s", file=sys.stderr, flush=True)
    print(machine())
    print(shown(rows, former))
    if given.json:
        given.json.write_text(json.dumps({"machine": machine(), "rows": [asdict(r) for r in rows]}, indent=1))


if __name__ == "__main__":
    main()
