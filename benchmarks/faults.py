"""Nothing lost, nothing left over: commands disturbed at random moments, again and again, and what was wrong afterwards.

    python -m benchmarks faults [--kills 500] [--seed 1]

Each round adds a log to a store and disturbs one command (ingest, evaluate --store, run): SIGKILL, SIGTERM or Ctrl-C at a random
moment; SIGKILL just before or after a random call of the operating system; that call failing (no space, input/output error); two
writers at once. Then the store must hold whole logs only, the same command must succeed, and every event must be there once.

    lost, double   events that the store lacks, or holds more often than the logs
    stuck          commands that did not succeed after the disturbance
    left over      temporary files and folders, locks, that the next run did not remove
    tracebacks     of a command that could still speak
    leaks          of a query's text, by a run that redacts
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

SECRET = "zebra-crossing"  # noqa: S105  # a text that no output of a redacting run may hold
FRESH = 12  # rounds with one store
KINDS = ("kill", "before", "after", "no space", "io error", "terminate", "interrupt", "two writers")
OFTEN = (7, 2, 1)  # ingest, evaluate, run: the last costs most
TALLY = ("lost", "double", "stuck", "left over", "tracebacks", "leaks")
CALLS = ("open", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fsync", "truncate", "write")
CHILD = f"""
import errno, json, os, signal, sys
import recallwatch.cli, recallwatch.evaluation.pipeline, recallwatch.store, recallwatch.nightly.run, pyarrow.parquet
from recallwatch.__main__ import main

def disturb(kind, number):
    seen = 0
    def wrapped(call):
        def counted(*arguments, **named):
            nonlocal seen
            seen += 1
            if seen != number:
                return call(*arguments, **named)
            if kind in ("no space", "io error"):
                code = errno.ENOSPC if kind == "no space" else errno.EIO
                raise OSError(code, os.strerror(code), str(arguments[0]))
            if kind == "after":
                call(*arguments, **named)
            os.kill(os.getpid(), signal.SIGKILL)
        return counted
    for name in {CALLS!r}:
        setattr(os, name, wrapped(getattr(os, name)))

for line in sys.stdin:
    order = json.loads(line)
    pid = os.fork()
    if not pid:
        out = os.open(order["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.argv = ["recallwatch", *order["words"]]
        if order["number"]:
            disturb(order["kind"], order["number"])
        main()
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Nursery:
    """Starts commands in processes of their own; the imports are paid once, by forking.

    Args:
        folder: where outputs and temporary folders go.
    """

    def __init__(self, folder: Path, name: str = "one") -> None:
        self.out, self.temporary = folder / f"{name}.out", folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(self.temporary)},
        )

    def start(self, words: list[str], kind: str = "", number: int = 0) -> int:
        """Begin a command; its process id."""
        order = {"words": words, "out": str(self.out), "kind": kind, "number": number}
        assert self._process.stdin is not None  # noqa: S101  # made with a pipe
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def end(self) -> tuple[int, str]:
        """Its exit code and what it said."""
        return int(self._line()), self.out.read_text(encoding="utf-8", errors="replace")

    def run(self, words: list[str]) -> tuple[int, str]:
        """A command that nothing disturbs."""
        self.start(words)
        return self.end()

    def close(self) -> None:
        """No more commands."""
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None  # noqa: S101  # made with a pipe
        return self._process.stdout.readline()


@dataclass
class World:
    """A store, its logs, and how often each event was logged.

    Args:
        folder: holds all of it.
        rng: decides everything.
    """

    folder: Path
    rng: random.Random
    n_logs: int = 0
    rows: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "logs").mkdir(parents=True)
        labels = [{"query_id": f"q{q}", "relevant": [f"d{q}", f"d{q + 1}"]} for q in range(8)]
        (self.folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
        (self.folder / "nightly.toml").write_text(
            'logs = ["logs"]\nlabels = ["labels.jsonl"]\nstore = "store"\nmax_age = "never"\ndrift = false\n'
            '[outputs]\nwrite = ["json", "markdown", "junit", "csv"]\nredact = true\nsalt = "s"\n'
        )
        for _ in range(3):
            self.add()

    @property
    def store(self) -> Path:
        """The folder of the store."""
        return self.folder / "store"

    def add(self) -> None:
        """One more log: twenty events, one of them a copy of an earlier one."""
        self.n_logs += 1
        rows = [self._event(f"e{self.n_logs}-{n}") for n in range(19)] + [self._event("e1-0", day=1)]
        name = f"{self.n_logs:03}.jsonl"
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / "logs" / name).write_text(text)
        self.rows[str((self.folder / "logs" / name).resolve())] = len(rows)

    def _event(self, name: str, day: int = 0) -> dict[str, Any]:
        query, day = self.rng.randrange(8), day or self.rng.randint(1, 4)
        return {
            "event_id": name,
            "query_id": f"q{query}",
            "query_text": f"{SECRET} {query}",
            "timestamp": f"2026-03-{day:02}T{self.rng.randrange(24):02}:00:00Z",
            "ranked_ids": [f"d{self.rng.randrange(9)}" for _ in range(4)],
            "total_ms": self.rng.random() * 90,
        }

    def commands(self) -> dict[str, list[str]]:
        """What can be disturbed."""
        logs, labels, store = (str(self.folder / name) for name in ("logs", "labels.jsonl", "store"))
        return {
            "ingest": ["ingest", logs, "--store", store, "--threads", "1"],
            "evaluate": ["evaluate", logs, "--store", store, "--labels", labels, "-m", "mrr", "--threads", "1"],
            "run": ["run", str(self.folder / "nightly.toml")],
        }

    def committed(self) -> Counter[str]:
        """Rows a source that counts has in the store."""
        counted: Counter[str] = Counter()
        for path in self.store.glob("commits/*.json"):
            marker = json.loads(path.read_text())
            (n,) = duckdb.sql(f"select count(*) from read_parquet('{self.store / marker['events']}')").fetchall()[0]
            counted[marker["source"]] += n
        return counted

    def left_over(self) -> list[Path]:
        """What no run in progress holds and none should leave."""
        names = [p for p in self.store.rglob("*") if ".tmp" in p.name or p.name == "writer.lock"]
        outputs = [p for p in (self.folder / "recallwatch-report").rglob("*") if ".tmp" in p.name]
        return [*names, *outputs]


def disturbed(world: World, nurseries: list[Nursery], words: list[str], kind: str, n_calls: int) -> list[tuple[int, str]]:
    """A command, disturbed; exit codes and what was said."""
    first, rng = nurseries[0], world.rng
    if kind == "two writers":
        for nursery in nurseries:
            nursery.start(words)
        return [nursery.end() for nursery in nurseries]
    if kind in ("before", "after", "no space", "io error"):
        first.start(words, kind, rng.randint(1, n_calls))
        return [first.end()]
    pid = first.start(words)
    time.sleep(rng.random() * rng.choice((0.2, 1, 3)))
    sent = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "interrupt": signal.SIGINT}[kind]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sent)
    return [first.end()]


def round_of(world: World, nurseries: list[Nursery], tally: Counter[str], tell: Callable[[str], None], n_calls: int) -> None:
    """One disturbance, and all that must hold after it."""
    world.add()
    name, kind = world.rng.choices(list(world.commands()), OFTEN)[0], world.rng.choice(KINDS)
    words = world.commands()[name]
    ends = disturbed(world, nurseries, words, kind, n_calls)
    tally[f"{kind}, {name}"] += 1

    def wrong(what: str, n: int, why: object) -> None:
        if n:
            tally[what] += n
            tell(f"{what}: {name} after {kind}: {why}")

    for source, n in world.committed().items():
        wrong("lost", max(world.rows[source] - n, 0), source)
        wrong("double", max(n - world.rows[source], 0), source)
    again = nurseries[0].run(words)
    wrong("stuck", again[0] not in (0, 4), again)
    said = [text for _, text in (*ends, again)]
    wrong("tracebacks", sum("Traceback" in text for text in said), said)
    wrong("tracebacks", sum(code == 1 for code, _ in ends), said)
    wrong("leaks", sum(SECRET in text for text in said) if name == "run" else 0, said)
    after = world.committed()
    wrong("lost", sum(max(n - after[source], 0) for source, n in world.rows.items()), "rerun")
    wrong("double", sum(max(after[source] - n, 0) for source, n in world.rows.items()), "rerun")
    left = [*world.left_over(), *nurseries[0].temporary.iterdir()]
    wrong("left over", len(left), left)


def compared(world: World, nursery: Nursery, tally: Counter[str], tell: Callable[[str], None]) -> None:
    """The store, scored, against the logs themselves."""
    logs, labels = str(world.folder / "logs"), str(world.folder / "labels.jsonl")
    results = []
    for where in (["--store", str(world.store)], [logs]):
        code, text = nursery.run(["evaluate", *where, "--labels", labels, "-f", "json"])
        results.append({key: json.loads(text)[key] for key in ("metrics", "latency")} if code == 0 else text)
    if results[0] != results[1]:
        tally["lost"] += 1
        tell(f"another result from the store: {results}"[:2000])


def tally_of(kills: int, seed: int, folder: Path, tell: Callable[[str], None] = print) -> Counter[str]:
    """So many disturbances; what was wrong, and how often each kind was tried.

    Args:
        kills: rounds.
        seed: of everything that is random, but the machine.
        folder: an empty one.
        tell: is told of whatever is wrong, and how far it is.
    """
    tally, rng = Counter(dict.fromkeys(TALLY, 0)), random.Random(seed)  # noqa: S311  # seeded on purpose
    nurseries = [Nursery(folder, name) for name in ("one", "two")]
    n_calls, number = 120, 0
    while number < kills:
        tell(f"{number} of {kills}: {', '.join(f'{tally[name]} {name}' for name in TALLY)}")
        world = World(folder / f"world{number}", rng)
        for _ in range(min(FRESH, kills - number)):
            round_of(world, nurseries, tally, tell, n_calls)
            number += 1
        compared(world, nurseries[0], tally, tell)
        shutil.rmtree(world.folder)
    for nursery in nurseries:
        nursery.close()
    return tally


def main() -> None:
    """Print the tally."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(sys.argv[2:] if sys.argv[1:2] == ["faults"] else None)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        tally = tally_of(given.kills, given.seed, Path(folder), lambda line: print(line, file=sys.stderr, flush=True))
    print(f"{given.kills} disturbances in {time.perf_counter() - started:.0f} s, seed {given.seed}")
    for name, n in sorted(tally.items(), key=lambda pair: (pair[0] not in TALLY, pair[0])):
        print(f"{n:6,}  {name}")
    sys.exit(any(tally[name] for name in TALLY))


if __name__ == "__main__":
    main()
