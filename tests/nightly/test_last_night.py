"""A run for which nothing is new shows what the last one found, and computes it where anything it follows from is another."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recallwatch.base.errors import InputError
from recallwatch.monitor.accepted import accept
from recallwatch.nightly import last_night
from recallwatch.nightly.configuration import load
from recallwatch.nightly.last_night import LastNight
from recallwatch.nightly.run import run
from recallwatch.report.night import Night
from recallwatch.store import erase, ingest

NOW = dt.datetime(2026, 3, 6, 6, tzinfo=dt.UTC)
CONFIG = """
logs = "logs"
labels = "labels.jsonl"
store = "store"
max_age = "never"
[read]
profile = "profile.toml"
[gates]
"recall@10" = ">= 0.10"
[outputs]
write = ["html", "json", "csv"]
"""
EVALUATION: dict[str, Any] = {"read": {"period": {"to": "2026-03-04T23:59:00Z"}}, "metrics": [], "latency": []}


def log(home: Path, day: int, *, hits: int = 30) -> None:
    """A night of sixty recalls in a file of its own, of which some find what they should."""
    rows = [
        {
            "at": f"2026-03-0{day}T{i % 24:02d}:{i % 60:02d}:00Z",
            "q": f"q{i % 20}",
            "tenant_id": "ab"[i % 2],
            "ids": [f"d{i % 20}" if i < hits else "z", "x"],
            "total_ms": 5 + i % 7,
        }
        for i in range(60)
    ]
    (home / "logs" / f"night-{day}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def label(home: Path, n: int) -> None:
    """One relevant document for each of n queries."""
    lines = (json.dumps({"query_id": f"q{i}", "relevant": [f"d{i}"]}) + "\n" for i in range(n))
    (home / "labels.jsonl").write_text("".join(lines), encoding="utf-8")


def take_in(home: Path) -> None:
    """Read what is new."""
    ingest(home / "logs", store=home / "store", profile=home / "profile.toml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two nights in a store."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "profile.toml").write_text(
        '[events]\ntimestamp = "at"\nquery_id = "q"\ntenant_id = "tenant_id"\nranked_ids = "ids[]"\n', encoding="utf-8"
    )
    (tmp_path / "night.toml").write_text(CONFIG, encoding="utf-8")
    for day in (3, 4):
        log(tmp_path, day)
    label(tmp_path, 20)
    take_in(tmp_path)
    return tmp_path


def is_computed(home: Path, *, now: dt.datetime = NOW, meanwhile: Callable[[], Any] = lambda: None, **more: Any) -> bool:
    """Whether a run computes its night, or takes it from the store; what it computes it keeps."""
    asked = []

    def compute() -> Night:
        asked.append(True)
        meanwhile()
        return Night({**EVALUATION, **more}, notes=["a note"])

    last = LastNight(load(home / "night.toml"), now)
    assert last.or_else(compute).notes == ["a note"]
    last.keep()
    return bool(asked)


def test_a_kept_night_is_used_until_something_changes(home: Path) -> None:
    """Also days later."""
    assert [is_computed(home, now=NOW + dt.timedelta(days=n)) for n in range(3)] == [True, False, False]


def _config(home: Path) -> None:
    (home / "night.toml").write_text(CONFIG.replace("0.10", "0.20"), encoding="utf-8")


def _profile(home: Path) -> None:
    (home / "profile.toml").write_text((home / "profile.toml").read_text(encoding="utf-8") + "\n", encoding="utf-8")


def _broken(home: Path) -> None:
    path = home / "store" / "aggregates" / "night.json"
    path.write_text(path.read_text(encoding="utf-8").replace("a note", "a vote", 1), encoding="utf-8")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "a new log": lambda home: (log(home, 5), take_in(home)),
    "a log that changed": lambda home: (log(home, 4, hits=50), take_in(home)),
    "labels": lambda home: label(home, 19),
    "the configuration": _config,
    "the profile": _profile,
    "an accepted window": lambda home: accept(home / "store", "2026-03-03"),
    "an erasure": lambda home: erase(home / "store", tenant="a"),
    "recall.duckdb is gone": lambda home: (home / "store" / "recall.duckdb").unlink(),
    "a kept night that is not whole": _broken,
    "how the store was last scored": lambda home: (home / "store" / "labels" / "current.json").write_text("{}", encoding="utf-8"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_a_night_follows_from(home: Path, what: str) -> None:
    """Whatever of it changes, the night is computed."""
    is_computed(home)
    CHANGES[what](home)
    assert [is_computed(home), is_computed(home)] == [True, False]


def test_other_code_computes_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version, or a line that somebody changed."""
    is_computed(home)
    monkeypatch.setattr(last_night, "code_hash", lambda: "other")
    assert is_computed(home)


def test_a_run_before_the_newest_recall(home: Path) -> None:
    """Which window is judged depends on the hour then: nothing is kept, nor used of a later run."""
    is_computed(home)
    assert [is_computed(home, now=dt.datetime(2026, 3, 3, 6, tzinfo=dt.UTC)) for _ in range(2)] == [True, True]


def test_a_change_of_labels_is_told_once(home: Path) -> None:
    """The night that tells of it is not the next one's."""
    assert [is_computed(home, relabelled={"metrics": []}), is_computed(home), is_computed(home)] == [True, True, False]


def test_what_changes_while_a_night_is_computed(home: Path) -> None:
    """It may have seen both: nothing is kept."""
    assert is_computed(home, meanwhile=lambda: label(home, 19))
    assert is_computed(home)


def test_what_is_erased_is_in_no_kept_night(home: Path) -> None:
    """An erasure takes the kept night with it: it holds texts and ids."""
    is_computed(home)
    kept = home / "store" / "aggregates" / "night.json"
    assert kept.exists()
    erase(home / "store", tenant="a")
    assert not kept.exists()


def test_a_damaged_store_is_told_all_the_same(home: Path) -> None:
    """Nothing is new, and a part of the store is cut: no run shows the last night as if all were well."""
    is_computed(home)
    part = next((home / "store" / "events").iterdir())
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(InputError, match="were committed"):
        is_computed(home)


def test_nothing_new_gives_the_same_bytes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole run from what was kept, its page's pictures too, and one that computes everything."""

    def outputs() -> dict[str, bytes]:
        run(home / "night.toml", now=NOW)
        return {path.name: path.read_bytes() for path in (home / "recallwatch-report").iterdir()}

    outputs()
    with monkeypatch.context() as patch:
        patch.setitem(run.__globals__, "gather", None)
        kept = outputs()
    (home / "store" / "aggregates" / "night.json").unlink()
    assert outputs() == kept
