"""`evaluate` against the scan floor and the tools a user would pick instead, on the same files in the same run.

    python -m benchmarks.evaluate [--events 1000000,10000000] [--repeats 3] [--folder DIR]

Floor = DuckDB reading the same columns and doing nothing with them. Start-up = `evaluate` on three recalls.
Ratio = (ours - start-up) / floor, medians of whole processes run in turn.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from .processes import YARDSTICKS, Run, interleaved, machine, median, telemetry

FOUR = ("-m", "recall@10", "-m", "precision@10", "-m", "mrr", "-m", "ndcg@10")
EIGHT = tuple(
    part for name in ("nDCG@10", "RR@10", "AP@100", "R@50", "Rprec", "bpref", "RBP(p=0.8)", "ERR@20") for part in ("-m", name)
)
GIB = 1024
PEERS_UP_TO = 1_000_000  # events


def command(logs: Path, labels: Path, *options: str) -> list[str | Path]:
    """Our command line, JSON out."""
    return [sys.executable, "-m", "recallwatch", "evaluate", logs, "--labels", labels, "-f", "json", "--threads", "2", *options]


def tiny(folder: Path) -> tuple[Path, Path]:
    """Three recalls and their labels: what is left is start-up."""
    logs, labels = folder / "tiny.jsonl", folder / "tiny-labels.jsonl"
    logs.write_text(
        "".join(json.dumps({"event_id": f"e{n}", "query_id": f"q{n}", "ranked_ids": ["a", "b"]}) + "\n" for n in range(3))
    )
    labels.write_text("".join(json.dumps({"query_id": f"q{n}", "relevant": ["a"]}) + "\n" for n in range(3)))
    return logs, labels


def runs_of(folder: Path, events: int, repeats: int) -> dict[str, list[Run]]:
    """Every command of one size, interleaved; the slow rivals at a million only."""
    data = telemetry(folder, events)
    logs, labels = data / "events", data / "labels.parquet"
    peers = YARDSTICKS / "peers.py"
    commands: dict[str, list[str | Path]] = {
        "start-up": command(*tiny(folder), *FOUR),
        "scan floor": [sys.executable, peers, data, "--tool", "floor"],
        "evaluate, 4 metrics": command(logs, labels, *FOUR),
        "evaluate, 8 of the field's": command(logs, labels, *EIGHT),
        "evaluate, all metrics at 4 k": command(logs, labels),
        "evaluate, by tenant and day": command(logs, labels, *FOUR, "--by", "tenant_id", "--window", "day"),
    }
    if events <= PEERS_UP_TO:
        commands["pytrec_eval"] = [sys.executable, peers, data, "--tool", "pytrec_eval"]
    return interleaved(commands, repeats=repeats)


def table(events: int, found: dict[str, list[Run]]) -> str:
    """The figures of one size, with the ratios that matter."""
    floor, start = median(found["scan floor"], "wall"), median(found["start-up"], "wall")
    lines = [f"{events:,} events", f"{'':30}{'wall s':>9}{'cpu s':>9}{'MiB':>8}{'(wall - start-up) / floor':>28}"]
    for name, runs in found.items():
        wall, cpu, peak = (median(runs, figure) for figure in ("wall", "cpu", "peak"))
        ratio = f"{(wall - start) / floor:.2f}" if name.startswith("evaluate") else ""
        lines.append(f"{name:30}{wall:9.2f}{cpu:9.2f}{peak:8.0f}{ratio:>28}")
    ours = found["evaluate, 4 metrics"]
    goal = 0.5 * GIB + 75 * events / 2**20
    lines.append(f"peak memory {median(ours, 'peak'):.0f} MiB, goal {goal:.0f} MiB")
    if "pytrec_eval" in found:
        lines.append(f"{median(found['pytrec_eval'], 'wall') / median(ours, 'wall'):.1f} x as fast as pytrec_eval, end to end")
    return "\n".join(lines)


def main() -> None:
    """Print one table a size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", default="1000000,10000000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "recallwatch-benchmarks")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(machine())
    for events in map(int, given.events.split(",")):
        print("\n" + table(events, runs_of(given.folder, events, given.repeats)))


if __name__ == "__main__":
    main()
