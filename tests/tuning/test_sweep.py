"""A sweep records what a search function does over a grid, whatever it does, and never runs twice what is recorded."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.testing.harness import Case
from recallwatch.variants.grid import order, variants_of

CASES = [(f"query {q}", [f"d{q}"]) for q in range(6)]
DEPTHS = {"depth": [1, 2, 4]}


def search(query: str, depth: int, k: int = 3) -> list[str]:
    """Finds the right document of the first queries only; the deeper the more of them."""
    number = int(query.split()[1])
    return [f"d{number}" if number < depth else "wrong", "b", "c"][:k]


def events(folder: Path) -> list[dict[str, Any]]:
    """What is recorded, in order."""
    lines = [line for path in sorted((folder / "recalls").glob("*.jsonl*")) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> recallwatch.sweep.Sweep:  # type: ignore[name-defined]  # the module of that name
    """Three depths, six queries, three repeats."""
    return recallwatch.sweep(search, DEPTHS, CASES, folder=tmp_path_factory.mktemp("sweep") / "here", k=3)


def test_every_call_is_an_event_of_its_variant(swept: Any) -> None:
    """Each variant answers each query once a repeat: variant, run_id, parameters, what was asked for and the time stand in the event."""
    found = events(swept.folder)
    assert len(found) == 3 * 6 * 3
    assert Counter((e["variant"], e["attributes"]["run_id"]) for e in found) == {
        (f"depth={d}", f"run-00{r}"): 6 for d in DEPTHS["depth"] for r in (1, 2, 3)
    }
    first = found[0]
    assert first["attributes"]["depth"] == first["variant"].removeprefix("depth=")
    assert (first["top_k"], first["status"], len(first["ranked_ids"])) == (3, "ok", 3)
    assert 0 <= first["stage_ms"]["search"] <= first["total_ms"]


def test_blocks_spread_the_machines_drift(swept: Any) -> None:
    """One query after the other is put to all variants, in an order drawn anew for each: a slow minute slows all alike."""
    found = events(swept.folder)
    blocks = [found[i : i + 3] for i in range(0, len(found), 3)]
    assert {len({e["query_text"] for e in block}) for block in blocks} == {1}
    assert {len({e["variant"] for e in block}) for block in blocks} == {3}
    assert len({tuple(e["variant"] for e in block) for block in blocks}) > 3
    cases, variants = [Case(f"q{n}") for n in range(50)], variants_of({"a": list(range(8))})
    places: dict[str, list[int]] = {}
    for place, (_, _, variant) in enumerate(order(variants, cases, 4, seed=1)):
        places.setdefault(variant.name, []).append(place)
    middle = 4 * 50 * 8 / 2
    assert all(abs(np.mean(found) - middle) < 4 for found in places.values())
    assert list(order(variants, cases, 2, seed=1)) == list(order(variants, cases, 2, seed=1))
    assert list(order(variants, cases, 2, seed=1)) != list(order(variants, cases, 2, seed=2))


def test_pareto_and_stability_read_it(swept: Any) -> None:
    """The cases' labels stand beside the log: recall@1 grows with depth, repeats agree, depth is a parameter."""
    front = {row["variant"]: row["y"] for row in swept.pareto(y="recall@1").variants}
    assert front == {"depth=1": pytest.approx(1 / 6), "depth=2": pytest.approx(2 / 6), "depth=4": pytest.approx(4 / 6)}
    stable = swept.stability(metrics="recall@1")
    assert [cell["is_identical"] for cell in stable.cells] == [True] * 3
    steps = {(row["from"], row["to"]): row["effect"] for row in stable.sensitivity if row["measure"] == "recall@1"}
    assert steps == {("1", "2"): pytest.approx(1 / 6), ("2", "4"): pytest.approx(2 / 6)}
    assert swept.notes == []


def test_what_is_recorded_is_not_run_again(tmp_path: Path) -> None:
    """A sweep that is broken off goes on where it was; further repeats and variants add what is missing."""
    calls: list[tuple[str, int]] = []

    def breaking(query: str, depth: int) -> list[str]:
        calls.append((query, depth))
        if len(calls) == 9:
            raise KeyboardInterrupt
        return ["d0"]

    with pytest.raises(KeyboardInterrupt):
        recallwatch.sweep(breaking, {"depth": [1, 2]}, CASES, repeats=1, warmup=0, folder=tmp_path)
    assert len(events(tmp_path)) == 8
    assert {e["status"] for e in events(tmp_path)} == {"ok"}
    done = recallwatch.sweep(breaking, {"depth": [1, 2]}, CASES, repeats=1, warmup=0, folder=tmp_path)
    assert (len(calls), done.resumed, len(events(tmp_path))) == (9 + 4, 8, 12)
    assert Counter(calls).most_common(1)[0][1] == 2  # the one that was broken off
    more = recallwatch.sweep(breaking, {"depth": [1, 2, 3]}, CASES, repeats=2, warmup=0, folder=tmp_path)
    assert (more.resumed, len(events(tmp_path)), more.tallies["depth=3"].calls) == (12, 36, 12)
    n = len(calls)
    recallwatch.sweep(breaking, {"depth": [1, 2, 3]}, list(reversed(CASES)), repeats=2, warmup=5, folder=tmp_path)
    assert len(calls) == n  # nor warmed up for nothing, nor confused by another order of the queries


def test_a_killed_sweep_goes_on(tmp_path: Path) -> None:
    """SIGKILL in the middle: what was flushed is kept, the cut line is run again, every call is there once in the end."""
    script = f"""
import sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r})
import recallwatch, test_sweep
def slow(query, depth):
    time.sleep(.02); return test_sweep.search(query, depth)
recallwatch.sweep(slow, {{"depth": [1, 2, 4]}}, test_sweep.CASES, repeats=5, folder={str(tmp_path)!r})
"""
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        until = time.monotonic() + 60
        while not any(path.stat().st_size > 2000 for path in (tmp_path / "recalls").glob("*.open")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    (path,) = (tmp_path / "recalls").glob("*.open")
    with path.open("ab") as cut:
        cut.write(b'{"timestamp":"2026-')
    done = recallwatch.sweep(search, DEPTHS, CASES, repeats=5, folder=tmp_path)
    assert 0 < done.resumed < 90
    assert [tally.calls for tally in done.tallies.values()] == [30, 30, 30]
    scored = recallwatch.evaluate(done.logs, done.labels, metrics="recall@1")
    assert (scored.counts["events"], scored.counts["rejected_lines"], scored.counts["incomplete_tail"]) == (90, 0, 1)


def test_a_search_that_misbehaves_is_recorded_and_said(tmp_path: Path) -> None:
    """It raises, hangs, returns nothing usable, too few, repeated, null or numpy ids, or another answer each time: the sweep goes on."""
    stop, turn = threading.Event(), iter(range(1000))

    def odd(query: str, how: str) -> Any:
        answers: dict[str, Any] = {
            "short": ["a"],
            "twice": ["a", "a", "b"],
            "null": ["a", None, "b"],
            "numpy": np.array([7, 8, 9]),
            "number": 7,
            "none": None,
        }
        if how == "raises":
            raise ConnectionError("gone")
        if how == "hangs":
            stop.wait(20)
        return [f"x{next(turn)}", "b", "c"] if how == "wavers" else answers.get(how, ["a", "b", "c"])

    hows = ["raises", "hangs", "short", "twice", "null", "numpy", "number", "none", "wavers"]
    done = recallwatch.sweep(odd, {"how": hows}, CASES[:2], repeats=2, k=3, warmup=0, folder=tmp_path, timeout=0.3)
    stop.set()
    assert [tally.calls for tally in done.tallies.values()] == [4] * 9
    assert {name: dict(tally.errors) for name, tally in done.tallies.items() if tally.errors} == {
        "how=raises": {"ConnectionError": 4},
        "how=hangs": {"TimeoutError": 4},
        "how=number": {"TypeError": 4},
        "how=none": {"TypeError": 4},
    }
    assert "how=short: 4 of 4 calls returned fewer ids than asked for" in done.notes
    assert "how=twice: 4 of 4 calls returned an id twice" in done.notes
    assert "how=null: 4 of 4 calls returned a null id" in done.notes
    assert "how=wavers: repeats disagree on 2 of 2 queries ('query 0', 'query 1' …): see `stability`" in done.notes
    assert done.notes[-1].startswith("calls over 0.3 s were left behind: a thread cannot be stopped")
    assert {tuple(e["ranked_ids"]) for e in events(tmp_path) if e["variant"] == "how=numpy"} == {("7", "8", "9")}
    assert {e["status"] for e in events(tmp_path) if e["variant"] in ("how=raises", "how=hangs")} == {"error"}
    assert ["how=raises", "4", "4"] in [line.split() for line in str(done).splitlines()]


def test_parameters_reach_the_search_and_the_event(tmp_path: Path) -> None:
    """k in the grid is the event's top_k; a list of settings may leave parameters out; the open recall takes stages and cost; async works."""

    async def search_own(query: str, recall: Any, k: int = 5, rerank: bool = False) -> list[tuple[str, float]]:
        with recall.stage("embed"):
            pass
        recall.set(cost_usd=0.25)
        return [(f"d{i}", 1 / (i + 1)) for i in range(min(k, 4))]

    done = recallwatch.sweep(search_own, [{"k": np.int64(2)}, {"rerank": True}], ["a", "b"], repeats=1, k=5, folder=tmp_path)
    found = {e["variant"]: e for e in events(tmp_path)}
    assert [found["k=2"][n] for n in ("top_k", "ranked_ids", "cost_usd")] == [2, ["d0", "d1"], 0.25]
    assert [found["rerank=true"][n] for n in ("top_k", "scores")] == [5, [1, 1 / 2, 1 / 3, 1 / 4]]
    assert list(found["k=2"]["stage_ms"]) == ["embed"]
    assert "rerank=true: 2 of 2 calls returned fewer ids than asked for" in done.notes
    assert done.labels is None
    assert recallwatch.sweep(lambda query: [query], [{}], ["a"], 1).notes == ["one variant: there is nothing to compare it with"]


def test_an_async_search_works_in_a_notebook(tmp_path: Path) -> None:
    """Where a loop runs already, as in a notebook, an async search is awaited all the same."""

    async def find(query: str) -> list[str]:
        await asyncio.sleep(0)
        return [query]

    async def cell() -> Any:
        return recallwatch.sweep(find, [{}], ["a", "b"], 1, folder=tmp_path)

    assert not asyncio.run(cell()).tallies["default"].errors
    assert sorted(e["ranked_ids"][0] for e in events(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize(
    ("grid", "queries", "options", "told"),
    [
        ({}, CASES, {}, "no variants"),
        ({"depth": []}, CASES, {}, "no variants"),
        ({"depth": "12"}, CASES, {}, "must be a list, saw '12'"),
        ({"depth": 3}, CASES, {}, "must be a list, saw 3"),
        ([3], CASES, {}, "expected a mapping of parameters, saw 3"),
        ([{"depth": 1}, {"depth": 1}], CASES, {}, "two variants are called 'depth=1'"),
        ({"variant": [1]}, CASES, {}, "cannot be called 'variant'"),
        ({"dept": [1]}, CASES, {}, "Did you mean 'depth'"),
        (DEPTHS, [], {}, "no queries"),
        (DEPTHS, ["a", "a"], {}, "two queries are called 'a'"),
        (DEPTHS, [("a", "b")], {}, "relevant must be a list of ids"),
        (DEPTHS, CASES, {"repeats": 0}, "repeats must be a whole number >= 1"),
        (DEPTHS, CASES, {"warmup": -1}, "warmup must be a whole number >= 0"),
        (DEPTHS, CASES, {"timeout": 0}, "timeout must be above 0"),
    ],
)
def test_errors_are_one_line_and_come_first(grid: Any, queries: Any, options: dict[str, Any], told: str, tmp_path: Path) -> None:
    """Nothing is run or written before the grid, the queries and the function agree."""
    with pytest.raises(UsageError) as error:
        recallwatch.sweep(search, grid, queries, folder=tmp_path / "new", **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "new").exists()


def test_a_folder_of_another_sweep_is_refused(tmp_path: Path) -> None:
    """Another k, or another text under the same id, would mix what is not the same; so would a second sweep at the same time."""
    named = [Case("first", ["d1"], query_id="1")]
    recallwatch.sweep(search_any, DEPTHS, named, repeats=1, k=3, folder=tmp_path)
    with pytest.raises(UsageError, match="asked for k=3, not 4"):
        recallwatch.sweep(search_any, DEPTHS, named, repeats=1, k=4, folder=tmp_path)
    with pytest.raises(UsageError, match="query '1' has another text"):
        recallwatch.sweep(search_any, DEPTHS, [Case("second", ["d1"], query_id="1")], repeats=1, k=3, folder=tmp_path)

    def nested(query: str, depth: int) -> list[str]:
        recallwatch.sweep(search_any, DEPTHS, named, repeats=2, k=3, folder=tmp_path)
        return []

    done = recallwatch.sweep(nested, {"depth": [9]}, named, repeats=1, k=3, warmup=0, folder=tmp_path)
    assert done.tallies["depth=9"].errors == {"UsageError": 1}
    (tmp_path / "sweep.json").write_text("[")
    with pytest.raises(InputError, match="not the plan of a sweep"):
        recallwatch.sweep(search_any, DEPTHS, named, repeats=1, k=3, folder=tmp_path)


def search_any(query: str, depth: int) -> list[str]:
    """Any answer."""
    return ["a", "b", "c"]


def test_progress_shows_on_a_terminal_only(tmp_path: Path) -> None:
    """Longer than two seconds on a terminal: a bar on stderr; into a pipe nothing at all."""
    script = f"""
import time, recallwatch
def slow(query, depth):
    time.sleep(.25); return ["a"]
recallwatch.sweep(slow, {{"depth": [1, 2]}}, [str(n) for n in range(7)], 1, folder={str(tmp_path)!r})
"""
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", script], stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        assert process.stdout is not None
        assert process.stdout.read() == b""
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert b"sweep" in shown
    piped = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)  # all recorded: quick
    assert piped.stderr == b""


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""
