"""A cluster of two executors that loses one in the middle of the work."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import json_of, one_machine

import recallwatch

PATIENCE = 300  # s until a job must run; a shared machine may be slow to start a cluster
EXECUTOR = b"CoarseGrainedExecutorBackend"


@pytest.fixture
def cluster(spark_is_there: None) -> Iterator[Any]:
    """Two executors of one core and 1 GiB each, in processes of their own."""
    from recallwatch.spark import session

    found = session("local-cluster[2,1,1024]")
    yield found
    found.stop()


def executors() -> list[int]:
    """Process ids of the executors whose ancestor is this very process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if EXECUTOR in (folder / "cmdline").read_bytes() and os.getpid() in _ancestors(int(folder.name)):
                found.append(int(folder.name))
        except OSError:  # gone meanwhile
            continue
    return sorted(found)


def _ancestors(pid: int) -> set[int]:
    found = set()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        found.add(pid)
    return found


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="executors are found by /proc")
def test_one_of_two_executors_is_killed(cluster: Any, tmp_path: Path, labels: Path) -> None:
    """Killed while tasks run, and after it spooled text to its own disk: Spark computes that again, the bytes are those of one machine."""
    from recallwatch.spark import evaluate

    rows = [json.dumps({**row, "stage_ms": dict(row["stage_ms"])}, default=str) for row in one_machine.log()]
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(4):
        (logs / f"part-{number}.jsonl").write_text("".join(row + "\n" for row in rows[number::4]))
    asked: dict[str, Any] = {"by": ("arm",), "window": "day", "per_query": True, "k": "5"}
    killed: list[int] = []
    ended = threading.Event()
    killer = threading.Thread(target=_kill_one, args=(cluster, killed, ended))
    killer.start()
    try:
        result = evaluate(cluster, str(logs), labels, tasks=4, **asked)
    finally:
        ended.set()
        killer.join()
    assert killed, "the work ended before an executor was killed"
    assert json_of(result) == json_of(recallwatch.evaluate(logs, labels, **asked))


def _kill_one(spark: Any, killed: list[int], ended: threading.Event) -> None:
    """Kill the first executor once text is spooled and a later job has a task at work."""
    tracker = spark.sparkContext.statusTracker()
    limit = time.monotonic() + PATIENCE
    jobs: set[int] = set()
    while not ended.wait(0.02) and time.monotonic() < limit:
        jobs.update(tracker.getActiveJobsIds())
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if len(jobs) >= 3 and any(stage and stage.numActiveTasks for stage in stages):  # 1 names of the logs, 2 spool, 3 look
            killed.append(executors()[0])
            os.kill(killed[0], signal.SIGKILL)
            return
