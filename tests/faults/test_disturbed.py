"""A command that is killed, told to end, or finds no space at any call of the operating system: nothing lost, nothing left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from .disturbing import disturbed, left_over

INGEST = ("ingest", "logs", "--store", "store", "--threads", "1")
N_EVENTS = 180


def n_events(store: Path) -> int:
    """Rows that count: those of committed parts."""
    parts = [store / json.loads(path.read_text())["events"] for path in (store / "commits").glob("*.json")]
    return sum(duckdb.sql(f"select count(*) from read_parquet('{part}')").fetchall()[0][0] for part in parts)


def ends_well(world: Path) -> None:
    """The next run succeeds, every event is there once, and nothing is left over."""
    again = disturbed("", 0, *INGEST, folder=world)
    assert again.returncode == 0, again.stderr
    assert (n_events(world / "store"), left_over(world)) == (N_EVENTS, [])


@pytest.mark.parametrize("number", [4, 23])
def test_killed_at_a_call(world: Path, number: int) -> None:
    """SIGKILL at a call: what is committed is whole logs, and the next run ends as if nothing had been."""
    assert disturbed("SIGKILL", number, *INGEST, folder=world).returncode == -signal.SIGKILL
    assert n_events(world / "store") % 60 == 0
    ends_well(world)


@pytest.mark.wide
@pytest.mark.parametrize("kind", ["SIGKILL", "SIGTERM", "SIGINT", "full"])
def test_disturbed_at_some_calls(world: Path, kind: str) -> None:
    """Wherever it is: no traceback, the signal's exit code or that of a full disk, and a store that is whole."""
    codes = {"SIGKILL": {-9}, "SIGTERM": {143}, "SIGINT": {130}, "full": {2, 3}}[kind]
    for number in (9, 31, 57):
        done = disturbed(kind, number, *INGEST, folder=world)
        assert "Traceback" not in done.stderr, (number, done.stderr)
        assert done.returncode in {0, *codes}, (number, done.stderr)
        assert n_events(world / "store") % 60 == 0
    ends_well(world)


def test_told_to_end(world: Path) -> None:
    """SIGTERM releases the lock and clears what was begun: one line, exit 143, nothing left over."""
    done = disturbed("SIGTERM", 40, *INGEST, folder=world)
    assert (done.returncode, done.stderr) == (143, "recallwatch: interrupted; nothing was left half written\n")
    assert left_over(world) == []


def test_what_a_dead_run_left_is_swept(world: Path) -> None:
    """Temporary files beside an output, in a store, and temporary folders: the next run removes those whose owner is gone, and no others."""
    ends_well(world)
    ours = [
        world / f".page.json.{'0' * 16}.tmp",
        world / "store" / f".store.json.{'1' * 16}.tmp",
        world / "tmp" / f"recallwatch-{'2' * 16}",
    ]
    ours[2].mkdir()
    for path in (*ours[:2], ours[2] / "owner.lock"):
        path.touch()
    others = [world / "page.json.tmp", world / ".page.json.tmp", world / "tmp" / "recallwatch-mine"]
    for path in others:
        path.touch()
    done = disturbed(
        "", 0, "evaluate", "--store", "store", "--labels", "labels.jsonl", "-f", "json", "-o", "page.json", folder=world
    )
    assert done.returncode == 0, done.stderr
    assert ([p for p in ours if p.exists()], [p for p in others if not p.exists()]) == ([], [])


LIBRARY = """
import os, signal
from recallwatch import evaluate, evaluate_retriever
{}
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.parametrize(
    "call",
    [
        f"evaluate_retriever(lambda query: {KILL}, [('where?', ['d1'])], k=1)",
        f"import recallwatch.read.data as data; data.written = lambda *a, was=data.written: (was(*a), {KILL}); evaluate([dict(ranked_ids=[])])",
    ],
)
def test_a_killed_call_of_the_library(tmp_path: Path, call: str) -> None:
    """The recording of a test and records given as dicts stand in the folder for temporary files; the next run clears them."""
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LIBRARY.format(call)], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, [path.name[:12] for path in tmp_path.iterdir()]) == (-signal.SIGKILL, ["recallwatch-"]), done.stderr
    subprocess.run([sys.executable, "-c", "from recallwatch.base.held import scratch\nwith scratch(): pass"], env=env, check=True)
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys
from recallwatch import __main__
assert "typing" not in sys.modules, "loaded before signals are met"

class Finder:
    def find_spec(self, name, *_):
        if name == "recallwatch.cli":
            exec("signal.raise_signal(signal.SIGTERM)")

sys.meta_path.insert(0, Finder())
__main__.main()
"""


def test_interrupted_while_it_loads() -> None:
    """Before the command knows what it is to do: one line and the signal's exit code, whatever was on the way."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "recallwatch: interrupted; nothing was left half written\n")


def test_two_writers(world: Path) -> None:
    """Two at once: one may be refused, with the other's process; together they lose and double nothing."""
    (world / "tmp").mkdir()
    command = [sys.executable, "-m", "recallwatch", *INGEST]
    env = {**os.environ, "TMPDIR": str(world / "tmp")}
    both = [
        subprocess.Popen(command, cwd=world, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) in ([0, 0], [0, 2]), said
    assert all("is writing" in text for process, text in zip(both, said, strict=True) if process.returncode)
    ends_well(world)
