"""Questions of several searches: `--unit trace` against `--unit event` on the same files.

    python -m benchmarks.traces [--events 1000000] [--searches 5] [--repeats 3] [--folder DIR]

The telemetry of the other benchmarks, each tenant's recalls in the order of time cut into traces of so many searches; whole processes of two
threads, run in turn, medians.
"""

import argparse
import tempfile
from pathlib import Path

import duckdb

from .evaluate import FOUR, command
from .processes import Run, interleaved, machine, median, telemetry

TRACES = """copy (select *, tenant_id || ((row_number() over (partition by tenant_id order by "timestamp", event_id) - 1) // {1}) as trace_id
    from '{0}/events/*/*.parquet') to '{2}' (format parquet)"""


def traced(folder: Path, events: int, searches: int) -> tuple[Path, Path]:
    """A log whose recalls name their trace, and its labels; made once a folder."""
    data = telemetry(folder, events)
    log = folder / f"traces-{events}-{searches}.parquet"
    if not log.is_file():
        duckdb.sql(TRACES.format(data, searches, log))
    return log, data / "labels.parquet"


def runs_of(folder: Path, events: int, searches: int, repeats: int) -> dict[str, list[Run]]:
    """Both units, interleaved."""
    log, labels = traced(folder, events, searches)
    return interleaved({unit: command(log, labels, *FOUR, "--unit", unit) for unit in ("event", "trace")}, repeats=repeats)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--searches", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "recallwatch-benchmarks")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found = runs_of(given.folder, given.events, given.searches, given.repeats)
    print(f"{machine()}\n\n{given.events:,} recalls, {given.searches} a trace\n{'':16}{'wall s':>9}{'cpu s':>9}{'MiB':>8}")
    figures = {unit: [median(runs, name) for name in ("wall", "cpu", "peak")] for unit, runs in found.items()}
    for unit, (wall, cpu, peak) in figures.items():
        print(f"--unit {unit:9}{wall:9.2f}{cpu:9.2f}{peak:8.0f}")
    wall, cpu, peak = (b / a for a, b in zip(figures["event"], figures["trace"], strict=True))
    print(f"{'trace / event':16}{wall:9.2f}{cpu:9.2f}{peak:8.2f}")


if __name__ == "__main__":
    main()
