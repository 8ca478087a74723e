"""s3:// is read as a folder of this machine is: the same files, the same bytes, the same refusals."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import SAMPLES, json_of

import recallwatch
from recallwatch.base.errors import InputError, UsageError

LABELS = SAMPLES / "labels.jsonl"


@pytest.fixture(scope="module")
def here() -> str:
    """The sample log, read on this machine."""
    return json_of(recallwatch.evaluate(SAMPLES / "recalls", LABELS, by="query_class"))


@pytest.mark.parametrize("logs", ["s3://bucket/logs", "s3://bucket/logs/", "s3://bucket/logs/*-11-*"])
def test_a_folder_or_glob(sample: Any, here: str, logs: str) -> None:
    """Parquet below a prefix, and labels beside it: the bytes of the local files; names with _ or . in front are left alone."""
    assert json_of(recallwatch.evaluate(logs, "s3://bucket/labels.jsonl", by="query_class")) == here


def test_one_part_here_one_there(sample: Any, here: str, tmp_path: Path) -> None:
    """Paths of both kinds in one call are one log."""
    files = sorted((SAMPLES / "recalls").iterdir())
    logs = [*map(str, files[:3]), *(f"s3://bucket/logs/{path.name}" for path in files[3:])]
    assert json_of(recallwatch.evaluate(logs, LABELS, by="query_class")) == here


def test_text_and_gzip(bucket: Any, tmp_path: Path) -> None:
    """JSON lines, plain and packed, are streamed from there; a bad line is named by its address."""
    rows = [f'{{"event_id": "e{n}", "query_id": "q{n % 9}", "ranked_ids": ["a", "b"]}}\n' for n in range(90)]
    bucket.pipe("bucket/text/plain.jsonl", "".join([*rows[:50], "{bad\n"]).encode())
    bucket.pipe("bucket/text/packed.jsonl.gz", gzip.compress("".join(rows[50:]).encode()))
    bucket.pipe("bucket/labels.csv", "".join(["query_id,document_id\n", *(f"q{n},a\n" for n in range(9))]).encode())
    result = recallwatch.evaluate("s3://bucket/text", "s3://bucket/labels.csv", max_rejects=0.5)
    assert result.counts["events"] == 90
    [warning] = [found for found in result.head["warnings"] if found["code"] == "rejected_lines"]
    assert warning["examples"] == ["s3://bucket/text/plain.jsonl:51"]


def test_the_command(sample: Any, here: str) -> None:
    """The command takes addresses where it takes paths; endpoint and credentials come from the environment."""
    command = [
        sys.executable,
        "-m",
        "recallwatch",
        "evaluate",
        "s3://bucket/logs",
        "--labels",
        "s3://bucket/labels.jsonl",
        "-f",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy())
    assert (done.returncode, done.stderr) == (0, "")
    assert '"metric": "recall"' in done.stdout


def test_nothing_there(sample: Any) -> None:
    """An address without files is refused as a path without files is."""
    for logs in ("s3://bucket/other", "s3://bucket/other/*.parquet", "s3://nobucket/logs"):
        with pytest.raises(InputError, match=r"^s3://\S+: (no such log file or folder|no log files there|cannot be read)"):
            recallwatch.evaluate(logs, LABELS)


def test_a_protocol_nobody_knows() -> None:
    """An address no library reaches is a usage error that says what to install."""
    pytest.importorskip("upath")
    with pytest.raises(UsageError, match="nothing://"):
        recallwatch.evaluate("nothing://b/logs", LABELS)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, the error names it."""
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(UsageError, match=r"pip install 'recallwatch\[remote\]'"):
        recallwatch.evaluate("s3://bucket/logs", LABELS)


def test_logs_into_a_store(sample: Any, here: str, tmp_path: Path) -> None:
    """A local store takes logs from s3 once: a second run finds nothing new, a changed object is read again."""
    store = tmp_path / "store"
    first = recallwatch.evaluate("s3://bucket/logs", LABELS, store=store, by="query_class")
    assert json_of(first) == here
    assert json_of(recallwatch.evaluate("s3://bucket/logs", LABELS, store=store, by="query_class")) == here
    path = min((SAMPLES / "recalls").glob("*.parquet"))
    shorter = tmp_path / path.name
    pq.write_table(pq.read_table(path).slice(0, 10), shorter)
    sample.put(str(shorter), f"bucket/logs/{path.name}")
    again = recallwatch.evaluate("s3://bucket/logs", LABELS, store=store)
    assert again.counts["events"] < first.counts["events"]
