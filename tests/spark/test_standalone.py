"""A standalone Spark: a master and two workers in processes of their own, started here and ended with the test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import json_of, one_machine

import recallwatch

pytestmark = pytest.mark.standalone
PATIENCE = 180  # s until a process must be up; a shared machine may be slow


def started(kind: str, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """A master or worker, its words in a file; in a process group of its own."""
    import pyspark

    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind.lower()}.{kind}"]
    with log.open("wb") as words:
        return subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *arguments], stdout=words, stderr=words
        )


def heard(log: Path, pattern: str, n: int = 1) -> str:
    """What stands in a log, once it stands there so many times."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        found = re.findall(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if len(found) >= n:
            return str(found[0])
        time.sleep(0.2)
    raise AssertionError(f"{pattern!r} is not in {log}:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, spark_is_there: None) -> Iterator[str]:
    """The master's address; two workers of one core and 1 GiB are with it."""
    folder = tmp_path_factory.mktemp("standalone")
    os.environ["SPARK_DAEMON_MEMORY"] = "256m"
    running = [started("Master", folder / "master")]
    try:
        address = heard(folder / "master", r"Starting Spark master at (spark://\S+)")
        more = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"), address)
        running += [started("Worker", folder / f"worker-{number}", *more) for number in range(2)]
        heard(folder / "master", "Registering worker", 2)
        yield address
    finally:
        del os.environ["SPARK_DAEMON_MEMORY"]
        for process in reversed(running):
            process.terminate()
            process.wait()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of the byte tests in four JSON files."""
    folder = tmp_path_factory.mktemp("logs")
    rows = [json.dumps({**row, "stage_ms": dict(row["stage_ms"])}, default=str) + "\n" for row in one_machine.log()]
    for number in range(4):
        (folder / f"part-{number}.jsonl").write_text("".join(rows[number::4]))
    return folder


def test_two_workers_give_the_bytes_of_one_machine(cluster: str, logs: Path, labels: Path, tmp_path: Path) -> None:
    """By paths, by a data frame, and by way of a store the workers filled: what one machine says, and both workers were at work."""
    from recallwatch.spark import evaluate, ingest, session
    from recallwatch.store import ingest as ingest_here

    asked: dict[str, Any] = {"by": ("arm",), "window": "day", "per_query": True, "k": "5"}
    spark = session(cluster)
    try:
        by_paths = json_of(evaluate(spark, str(logs), labels, tasks=2, **asked))
        parquet = one_machine.write(one_machine.log(), tmp_path / "parquet", files=2)
        by_frame = json_of(evaluate(spark, spark.read.parquet(str(parquet)), labels, tasks=2, **asked))
        ingest(spark, logs, store=tmp_path / "store", tasks=2)
        executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver is one of them
    finally:
        spark.stop()
    assert executors == 2
    assert by_paths == json_of(recallwatch.evaluate(logs, labels, **asked))
    assert by_frame == json_of(recallwatch.evaluate(parquet, labels, **asked))
    ingest_here([logs], store=tmp_path / "alone")
    of_store = [recallwatch.evaluate(store=tmp_path / name, labels=labels, **asked).to_dict() for name in ("store", "alone")]
    assert json.dumps(of_store[0]) == json.dumps(of_store[1])
