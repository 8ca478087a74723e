"""An ingest may be killed at any moment: every read in between is a whole state, and the end is that of a run nobody disturbed."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

from killing import Nursery
from store_logs import events, write

import recallwatch
from recallwatch.store import ingest, open_store
from recallwatch.store.maintenance import verify
from recallwatch.store.snapshot import take

KILLS, SOURCES = 50, 30


def json_of(store: Path, labels: Path | None) -> str:
    """What `evaluate -f json` says."""
    return json.dumps(recallwatch.evaluate(store=store, labels=labels, threads=1, k="5").to_dict())


def states(store: Path, stop: threading.Event, seen: set[tuple[str, ...]]) -> None:
    """Poll what is committed: the names of the sources, whose parts must be whole."""
    opened = open_store(store)
    while not stop.is_set():
        found = take(opened)
        assert sum(marker.n_events for marker in found.markers) == 10 * len(found.markers)
        seen.add(tuple(Path(marker.source).name for marker in found.markers))


def test_killed_at_fifty_moments(tmp_path: Path, labels: Path) -> None:
    """Seeded SIGKILLs of an ingest of thirty sources: readers see whole prefixes only, the end equals an undisturbed run byte for byte."""
    rows = events(10 * SOURCES)
    names = [f"{number:02}.jsonl" for number in range(SOURCES)]
    for number, name in enumerate(names):
        write(rows[10 * number : 10 * number + 10], tmp_path / "logs" / name)
    ingest([tmp_path / "logs"], store=tmp_path / "undisturbed")
    (tmp_path / "store").mkdir()
    open_store(tmp_path / "store", create=True)
    rng, stop, seen, killed = random.Random(50), threading.Event(), set[tuple[str, ...]](), 0
    failures: list[Any] = []
    reader = threading.Thread(target=lambda: _watched(states, failures, tmp_path / "store", stop, seen), daemon=True)
    reader.start()
    with Nursery(tmp_path / "store", tmp_path / "logs") as nursery:
        for number in range(KILLS):  # whatever the machine's speed: every other one gets past a commit
            killed += nursery.run(rng.uniform(0.0, 0.2), commits=number % 2)
        stop.set()
        reader.join()
        nursery.run(None)
    assert failures == []
    assert killed >= KILLS // 2
    assert len(seen) > 3
    assert seen <= {tuple(names[:n]) for n in range(SOURCES + 1)}
    assert verify(open_store(tmp_path / "store")) == []
    assert not list((tmp_path / "store").rglob("*.tmp*"))
    assert json_of(tmp_path / "store", labels) == json_of(tmp_path / "undisturbed", labels)


def _watched(work: Any, failures: list[Any], *given: Any) -> None:
    """A failure in a thread is a failure of the test."""
    try:
        work(*given)
    except Exception as error:
        failures.append(error)
