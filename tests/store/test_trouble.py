"""Interrupted, out of memory, disk full: one line that says what to do, nothing left behind, the store as it was."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

EVENTS = 300_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of Parquet, large enough that a run is still at work when the trouble comes, and labels."""
    folder = tmp_path_factory.mktemp("trouble") / "logs"
    folder.mkdir()
    for day in (1, 2):
        duckdb.sql(
            f"""copy (select 'e{day}-' || i as event_id, timestamptz '2026-01-0{day} 00:00:00+00' + to_seconds(i % 86400) as "timestamp",
                'q' || (i % 500) as query_id, list_transform(range(10), lambda r: 'd' || (hash(i, r) % 20000)) as ranked_ids,
                map {{'search': 1 + random() * 50}} as stage_ms, 5 + random() * 100 as total_ms
                from range({EVENTS}) as t(i)) to '{folder}/day{day}.parquet' (format parquet)"""
        )
    duckdb.sql(
        f"copy (select 'q' || i as query_id, 'd' || i as document_id from range(500) as t(i)) to '{folder.parent}/labels.csv'"
    )
    return folder


def command(tmp_path: Path, *words: object, **given: Any) -> subprocess.Popen[str]:
    """The command line in a process of its own, with a temp folder of its own."""
    temporary = tmp_path / "tmp"
    temporary.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "recallwatch", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
        **given,
    )


def files(folder: Path) -> dict[str, bytes]:
    """What a store holds, by name; the record of a run that failed may be added."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.parent.name != "runs"}


def limited(size: int) -> Callable[[], None]:
    """A disk that takes no more than so many bytes a file."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_interrupt(logs: Path, tmp_path: Path) -> None:
    """Ctrl-C ends with one line and exit 130; the temp folder is empty again."""
    process = command(
        tmp_path, "evaluate", logs, "--labels", logs.parent / "labels.csv", "--by", "query_id", "--window", "hour", "--threads", 1
    )
    started = time.monotonic()
    while not any((tmp_path / "tmp").iterdir()) and time.monotonic() - started < 60:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stderr.strip().splitlines()[-1] == "recallwatch: interrupted; nothing was left half written"
    assert "Traceback" not in stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_memory_limit_too_small(logs: Path, tmp_path: Path) -> None:
    """What does not fit says which limit to raise, exit 2; nothing is left in the temp folder."""
    process = command(
        tmp_path, "evaluate", logs / "day1.parquet", "--labels", logs.parent / "labels.csv", "--by", "query_id", "--window", "hour", "--memory-limit", "20MB"
    )  # fmt: skip
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 2, stderr
    assert stdout == ""
    assert "memory limit reached" in stderr
    assert "Raise --memory-limit" in stderr
    assert not list((tmp_path / "tmp").iterdir())


def test_full_disk(logs: Path, tmp_path: Path) -> None:
    """A part that cannot be written is named, exit 3; the store holds what it held, byte for byte, and works on."""
    store = tmp_path / "store"
    first = command(tmp_path, "ingest", logs / "day1.parquet", "--store", store)
    assert first.communicate(timeout=120)[1].startswith("1 new") or first.returncode == 0
    before = files(store)
    process = command(tmp_path, "ingest", logs / "day2.parquet", "--store", store, preexec_fn=limited(2_000_000))
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 3, stderr
    assert "free disk space" in stderr
    assert files(store) == before
    assert not list((tmp_path / "tmp").iterdir())
    again = command(tmp_path, "ingest", logs / "day2.parquet", "--store", store)
    again.communicate(timeout=120)
    assert again.returncode == 0
