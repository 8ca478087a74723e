"""Text match at its size: recalls of ten texts of 200 words, each text another, judged by token F1; and by id alone, the floor.

    python -m benchmarks.match [--events 100000] [--repeats 1] [--folder DIR]

Goal: 100,000 recalls in 20 s of wall time on two cores.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .processes import interleaved, machine, median

QUERIES, TEXTS, WORDS = 2000, 10, 200
SYLLABLES = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er")]


def vocabulary() -> list[str]:
    """30,000 words of two to five syllables."""
    dice = random.Random(1)  # noqa: S311 - made-up words, no secret
    return ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 5))) for _ in range(30_000)]


def text(dice: random.Random, words: list[str], n: int) -> str:
    """Words as often as words of a language come (a few most of the time), with sentences and commas."""
    found = [words[int(len(words) * dice.random() ** 4)] for _ in range(n)]
    return " ".join(word + ("." if i % 15 == 14 else "," if i % 8 == 7 else "") for i, word in enumerate(found))


def write(folder: Path, events: int) -> tuple[Path, Path]:
    """The log, in chunks, and the labels: the first text of every query's first recall, half of its words changed."""
    words, dice = vocabulary(), random.Random(2)  # noqa: S311 - the same
    logs, labels = folder / f"texts-{events}.parquet", folder / f"expected-{events}.parquet"
    if logs.exists():
        return logs, labels
    expected: dict[str, str] = {}
    schema = pa.schema(
        [("event_id", pa.string()), ("query_id", pa.string()), ("texts", pa.list_(pa.string())), ("total_ms", pa.float64())]
    )
    with pq.ParquetWriter(logs, schema) as writer:
        for start in range(0, events, 10_000):
            rows = []
            for n in range(start, min(start + 10_000, events)):
                query, texts = f"q{n % QUERIES}", [text(dice, words, WORDS) for _ in range(TEXTS)]
                rows.append({"event_id": f"e{n}", "query_id": query, "texts": texts, "total_ms": 20.0})
                if query not in expected:
                    kept = texts[0].split()[: WORDS // 4]
                    expected[query] = " ".join(kept) + " " + text(dice, words, WORDS // 4)
            writer.write_table(pa.Table.from_pylist(rows, schema))
    pq.write_table(
        pa.table(
            {"query_id": list(expected), "expected_text": list(expected.values()), "document_id": [f"d{q}" for q in expected]}
        ),
        labels,
    )
    return logs, labels


def commands(folder: Path, events: int, *ways: str) -> dict[str, Sequence[str | Path]]:
    """One command line for each ``--match``, on the same log."""
    logs, labels = write(folder, events)
    base = [sys.executable, "-m", "recallwatch", "evaluate", logs, "--labels", labels, "-f", "json", "--threads", "2", "--match"]
    return {way: [*base, way] for way in ways}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="recallwatch-match-"))
    ways = commands(folder, asked.events, "exact", "token_f1", "coverage", "id,exact,token_f1")
    found = interleaved(ways, repeats=asked.repeats)
    lines = [
        machine(),
        f"{asked.events:,} recalls of {TEXTS} texts of {WORDS} words",
        f"{'--match':22}{'wall s':>9}{'cpu s':>9}{'MiB':>8}",
    ]
    for name, runs in found.items():
        wall, cpu, peak = (median(runs, figure) for figure in ("wall", "cpu", "peak"))
        lines.append(f"{name:22}{wall:9.2f}{cpu:9.2f}{peak:8.0f}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
