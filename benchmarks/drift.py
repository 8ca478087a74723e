"""How often drift raises an alarm, right and wrong, on simulated services with a known truth; writes the table of docs/drift.md.

    python benchmarks/drift.py --simulator FOLDER --reps 40 --seeds 7000,11000,21000 [--rivals] [--write]

FOLDER holds `drift_sim.py`, the simulator. Every pair of windows is written as Parquet and read by `recallwatch.drift`.
A target counts as reached when a one-sided binomial test does not reject it at 1 %.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import drift_plugin as plugin

PAGE = Path(__file__).parents[1] / "docs" / "drift.md"
START, END = "<!-- figures -->", "<!-- end of figures -->"
# scenario, what is counted, target for a pair of days, target for 14 reference days; (sign, share): at least or at most
ROWS = (
    ("aa", "any", ("<=", 0.06), ("<=", 0.04), "same service: any alarm"),
    ("recall_m5", "quality", (">=", 0.90), (">=", 0.97), "recall −5 points: quality"),
    ("class_m20", "quality", (">=", 0.60), (">=", 0.75), "one class −20 points: quality"),
    ("p95_up20", "latency", (">=", 0.95), None, "one stage +20 %: latency"),
    ("p95_up10", "latency", None, (">=", 0.55), "one stage +10 %: latency"),
    ("unlabelled_up", "labels", (">=", 1.0), (">=", 1.0), "unlabelled share +15 points: labels"),
    ("empty_up", "health", (">=", 1.0), (">=", 1.0), "empty .2 → 3 %: health"),
    ("stage_missing", "health", (">=", 1.0), (">=", 1.0), "stage missing .5 → 5 %: health"),
    ("stale_labels", "labels", (">=", 1.0), (">=", 1.0), "judged share falls: labels"),
    ("mix_shift", "mix", (">=", 0.99), (">=", 0.99), "other traffic: named mix"),
    ("mix_shift", "quality", ("<=", 0.06), ("<=", 0.04), "other traffic: called quality"),
)
RIVALS = ("ks05", "mwu05", "welch05", "psi10", "kayenta")


def main() -> None:
    """Measure, print, and put the table into the page where asked to."""
    options = arguments()
    sys.path.insert(0, str(options.simulator))
    import drift_sim

    seeds = [int(seed) for seed in options.seeds.split(",")]
    started = time.time()
    pair = {
        scenario: pairs(drift_sim, scenario, options.reps, seeds, options) for scenario in dict.fromkeys(row[0] for row in ROWS)
    }
    history = (
        {scenario: histories(drift_sim, scenario, options.history_reps, seeds) for scenario in pair} if options.history_reps else {}
    )
    text = table(pair, history, options, seeds)
    print(text)
    print(f"{time.time() - started:.0f} s", file=sys.stderr)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(START)
        after = rest.partition(END)[2] if END in rest else rest
        PAGE.write_text(f"{before}{START}\n{text}\n{END}{after}", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulator", type=Path, required=True)
    parser.add_argument("--reps", type=int, default=40, help="pairs a scenario and seed range")
    parser.add_argument("--history-reps", type=int, default=0, help="14-day histories a scenario and seed range")
    parser.add_argument("--seeds", default="7000,11000,21000", help="first seed of each range")
    parser.add_argument("--rivals", action="store_true", help="other tests on the same worlds")
    parser.add_argument("--write", action="store_true", help="put the table into docs/drift.md")
    return parser.parse_args()


def pairs(sim: Any, scenario: str, reps: int, seeds: list[int], options: argparse.Namespace) -> dict[str, dict[str, int]]:
    """Detector -> family -> number of pairs in which it was flagged; ``n`` = pairs."""
    names = ["recallwatch", *(RIVALS if options.rivals else ())]
    counts: dict[str, dict[str, int]] = {name: {"n": 0, "any": 0} for name in names}
    for seed in (first + i for first in seeds for i in range(reps)):
        world, reference, current, _ = sim.make_pair(seed, scenario)
        found = {name: set(sim.DETECTORS[name](reference, current, world)) for name in names[1:]}
        with tempfile.TemporaryDirectory() as folder:
            sim.materialise(world, reference, current, scenario, folder)
            found["recallwatch"] = plugin.detect_paths(f"{folder}/ref.parquet", f"{folder}/cur.parquet", f"{folder}/labels.parquet")
        for name in names:
            count(counts[name], found[name])
    return counts


def histories(sim: Any, scenario: str, reps: int, seeds: list[int]) -> dict[str, dict[str, int]]:
    """The same against 14 reference days; judged share is left to the pairs, whose files the simulator can write for it."""
    counts = {"recallwatch": {"n": 0, "any": 0}}
    if scenario == "stale_labels":
        return counts
    for seed in (first + i for first in seeds for i in range(reps)):
        world, references, current, _ = sim.make_history(seed, scenario)
        count(counts["recallwatch"], plugin.detect_history(references, current, world))
    return counts


def count(counts: dict[str, int], families: set[str]) -> None:
    """Add one comparison."""
    counts["n"] += 1
    counts["any"] += bool(families - {"insufficient"})
    for family in families:
        counts[family] = counts.get(family, 0) + 1


def share(counts: dict[str, int], family: str, target: tuple[str, float] | None) -> str:
    """A share with its target, marked where the target is missed for certain."""
    from scipy.stats import binomtest

    if not counts.get("n"):
        return "–"
    hits, n = counts.get(family, 0), counts["n"]
    text = f"{100 * hits / n:.1f} %"
    if target is None:
        return text
    sign, limit = target
    p = binomtest(hits, n, limit, alternative="less" if sign == ">=" else "greater").pvalue if 0 < limit < 1 else float(hits == n)
    return f"{text} ({'≥' if sign == '>=' else '≤'} {100 * limit:.0f} %{'' if p >= 0.01 else ', **missed**'})"


def table(pair: dict[str, Any], history: dict[str, Any], options: argparse.Namespace, seeds: list[int]) -> str:
    """The figures as Markdown."""
    rivals = RIVALS if options.rivals else ()
    heads = ["what should happen", "pair of days", *(["14 reference days"] if history else []), *rivals]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for scenario, family, first, second, meaning in ROWS:
        cells = [meaning, share(pair[scenario]["recallwatch"], family, first)]
        cells += [share(history[scenario]["recallwatch"], family, second)] if history else []
        cells += [share(pair[scenario][name], family, None) for name in rivals]
        lines.append(f"| {' | '.join(cells)} |")
    n = f"{options.reps * len(seeds)} pairs" + (f" and {options.history_reps * len(seeds)} histories" if history else "")
    lines += [
        "",
        f"{n} a row, seeds from {', '.join(map(str, seeds))}; targets in brackets. Python {platform.python_version()}, {platform.machine()}.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
