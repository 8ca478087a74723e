"""Whole processes, timed by the operating system's own accounting; medians of interleaved runs."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

YARDSTICKS = Path(os.environ.get("RECALLWATCH_YARDSTICKS") or Path(__file__).parents[2] / "shared" / "yardsticks")
PACKAGES = ("recallwatch", "duckdb", "polars", "pyarrow")


@dataclass(frozen=True)
class Run:
    """One process: wall and CPU seconds, peak memory in MiB."""

    wall: float
    cpu: float
    peak: float


def run(command: Sequence[str | Path], *, log: Path | None = None, may_differ: bool = False) -> Run:
    """Run a command to its end; its output goes to ``log`` or nowhere. ``may_differ``: exit 4, a verdict, is no failure.

    Raises:
        RuntimeError: the command failed; a benchmark of a failure says nothing.
    """
    with (log or Path(os.devnull)).open("ab") as out:
        started = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=subprocess.PIPE)
        errors = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and not (may_differ and process.returncode == 4):
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {process.returncode}: {errors.decode(errors='replace')[-500:]}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def interleaved(commands: dict[str, Sequence[str | Path]], *, repeats: int) -> dict[str, list[Run]]:
    """Each command in turn, ``repeats`` times after one warm-up: machine drift spreads over all of them."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(repeats + 1):
        for name, command in commands.items():
            result = run(command)
            if number:
                found[name].append(result)
    return found


def median(runs: list[Run], figure: str) -> float:
    """The median of one figure."""
    return statistics.median(getattr(run, figure) for run in runs)


def machine() -> str:
    """One line: what it ran on, with which versions."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {versions}"


def telemetry(folder: Path, events: int, *, form: str = "parquet", days: int = 30) -> Path:
    """Synthetic telemetry of ``gen_events.py``; made once a folder."""
    target = folder / (f"{form}-{events}" if days == 30 else f"{form}-{events}-{days}d")
    if not target.is_dir():
        run([sys.executable, YARDSTICKS / "gen_events.py", target, "--events", str(events), "--format", form, "--days", str(days)])
    return target
