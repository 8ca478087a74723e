"""Whatever goes wrong, no number is wrong, no committed source is lost, and the message says what to do."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from store_logs import events, write

import recallwatch
from recallwatch.base.errors import InputError, RecallwatchError, UsageError
from recallwatch.store import ingest, open_store, parts
from recallwatch.store.lock import writing
from recallwatch.store.maintenance import collect_garbage, verify


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of one log."""
    ingest([write(events(40), tmp_path / "a.jsonl")], store=tmp_path / "store")
    return tmp_path / "store"


def n_events(store: Path, labels: Path) -> int:
    """How many events count."""
    return int(recallwatch.evaluate(store=store, labels=labels).to_dict()["counts"]["events"])


def test_a_newer_store_is_refused(store: Path, labels: Path) -> None:
    """A format this version does not know is never guessed at."""
    (store / "store.json").write_text(json.dumps({"format": 99, "made_by": "recallwatch 9.0"}))
    with pytest.raises(InputError, match=r"format 99 \(made by recallwatch 9.0\).*Upgrade recallwatch"):
        n_events(store, labels)


def test_a_marker_that_is_not_json(store: Path, labels: Path, tmp_path: Path) -> None:
    """It is refused by name; ingesting its source again mends it; nothing is cleared while it might name a part."""
    marker = next((store / "commits").glob("*.json"))
    marker.write_text("{half")
    with pytest.raises(InputError, match=r"commits/a.jsonl.*not JSON.*ingest its source again"):
        n_events(store, labels)
    parts = list((store / "events").iterdir())
    collect_garbage(open_store(store))
    assert list((store / "events").iterdir()) == parts
    assert verify(open_store(store))[0].startswith(str(marker))
    ingest([tmp_path / "a.jsonl"], store=store)
    assert n_events(store, labels) == 40


def test_a_part_cut_short(store: Path, labels: Path, tmp_path: Path) -> None:
    """A part that lost its end is told with its source; the next ingest reads an unchanged source again."""
    part = next((store / "events").iterdir())
    part.write_bytes(part.read_bytes()[:-200])
    with pytest.raises(InputError, match=r"bytes were committed|were committed.*Ingest its source again"):
        n_events(store, labels)
    assert "were committed" in verify(open_store(store))[0]
    ingest([tmp_path / "a.jsonl"], store=store)
    assert n_events(store, labels) == 40


def test_a_part_with_other_bytes(store: Path) -> None:
    """`store verify` compares hashes, so it sees what a size does not show."""
    part = next((store / "events").iterdir())
    data = bytearray(part.read_bytes())
    data[100] ^= 1
    part.write_bytes(data)
    assert "not those that were committed" in verify(open_store(store))[0]


def test_a_bad_source_stops_no_other(tmp_path: Path, labels: Path) -> None:
    """The error names the bad one and exits 3; the others are committed; what it had before stays."""
    good, bad = write(events(20, seed=3), tmp_path / "good.jsonl"), write(events(40), tmp_path / "bad.jsonl")
    ingest([bad], store=tmp_path / "store")
    bad.write_text("INFO start\n" * 50)
    with pytest.raises(InputError, match=r"bad.jsonl"):
        ingest([bad, good], store=tmp_path / "store")
    assert (
        n_events(tmp_path / "store", labels)
        == recallwatch.evaluate([good, write(events(40), tmp_path / "bad2.jsonl")], labels).to_dict()["counts"]["events"]
    )


@pytest.mark.parametrize("what", ["cut", "rewritten", "deleted"])
def test_a_source_that_changes_while_it_is_read(
    store: Path, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A log that is cut, rewritten or deleted under our hands is not committed; the part it had before stays."""
    log = write(events(60), tmp_path / "a.jsonl")
    real = parts.read_logs

    def read_and_change(*given: object, **options: object) -> object:
        found = real(*given, **options)
        if what == "deleted":
            log.unlink()
        elif what == "cut":
            write(events(10), log)
        else:
            os.utime(log, ns=(1, 1))
        return found

    monkeypatch.setattr(parts, "read_logs", read_and_change)
    with pytest.raises(InputError, match=r"while it was read"):
        ingest([log], store=store)
    assert n_events(store, labels) == 40


def test_a_clock_that_goes_backwards(store: Path, labels: Path, tmp_path: Path) -> None:
    """Times of files are compared for equality only, and runs are ordered by number."""
    log = write(events(60), tmp_path / "a.jsonl")
    os.utime(log, (0, 0))
    assert ingest([log], store=store).changed == [str(log)]
    assert n_events(store, labels) == 60
    numbers = [json.loads(path.read_text())["number"] for path in (store / "runs").glob("*.json")]
    assert sorted(numbers) == [1, 2]


def test_two_writers(store: Path, labels: Path, tmp_path: Path) -> None:
    """The second writer is told the first one's process; readers go on and keep nothing."""
    with writing(open_store(store)):
        with pytest.raises(UsageError, match=rf"process {os.getpid()} is writing"):
            ingest([tmp_path / "a.jsonl"], store=store)
        assert n_events(store, labels) == 40
        assert not list((store / "labels").glob("*.parquet"))
    assert not (store / "writer.lock").exists()


def test_locks_of_the_dead(store: Path, tmp_path: Path) -> None:
    """What a dead holder left is no lock: of another host (a container's name is new every night), of a living pid that is somebody else's."""
    lock = store / "writer.lock"
    for left in ({"pid": 7, "host": "elsewhere", "started": "1"}, {"pid": 1, "host": socket.gethostname()}, "no JSON"):
        lock.write_text(json.dumps(left))
        ingest([tmp_path / "a.jsonl"], store=store)
        assert not lock.exists()


def run(program: str, *given: object, **limits: int) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, where a limit can be set."""

    def limit() -> None:
        if "bytes" in limits:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limits["bytes"], limits["bytes"]))

    command = [sys.executable, "-c", program, *map(str, given)]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)


INGEST = """
import sys
from recallwatch.base.errors import RecallwatchError
from recallwatch.store import ingest
try:
    ingest(sys.argv[2:], store=sys.argv[1])
except RecallwatchError as error:
    print(error)
    sys.exit(error.exit_code)
"""


def test_a_full_disk(store: Path, labels: Path, tmp_path: Path) -> None:
    """No room for a part (a limit on file sizes stands for it): one line, nothing half written, all that was there stays."""
    big = write(events(3000, seed=8), tmp_path / "big.jsonl")
    done = run(INGEST, store, big, bytes=20_000)
    assert done.returncode in (2, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert n_events(store, labels) == 40
    assert not [path for path in store.rglob("*.tmp*") if path.parent.name != "events"]
    ingest([big], store=store)
    assert not list(store.rglob("*.tmp*"))
    assert verify(open_store(store)) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(store: Path, labels: Path, tmp_path: Path) -> None:
    """Reading works; adding is refused in one line."""
    for folder in (store, *(path for path in store.iterdir() if path.is_dir())):
        folder.chmod(0o500)
    try:
        assert n_events(store, labels) == 40
        with pytest.raises(RecallwatchError, match="cannot be written"):
            ingest([write(events(50), tmp_path / "a.jsonl")], store=store)
    finally:
        for folder in (store, *(path for path in store.iterdir() if path.is_dir())):
            folder.chmod(0o700)


def test_a_folder_that_is_no_store(tmp_path: Path) -> None:
    """Neither is read from nor, where it holds other things, written into."""
    write(events(3), tmp_path / "other" / "a.jsonl")
    with pytest.raises(InputError, match=r"no store there"):
        recallwatch.evaluate(store=tmp_path / "other")
    with pytest.raises(UsageError, match="not empty and holds no store"):
        ingest([tmp_path / "other"], store=tmp_path / "other")
