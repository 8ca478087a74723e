"""What recording costs the host, a recall: without an SDK, with one, and with three stages.

    python -m benchmarks.record [--recalls 20000] [--repeats 5]

Time of the host's thread over a loop that records 10 ids with scores: wall clock, and processor time, which says the same
on a machine that is busy with other things; the best of the repeats, and the median. The writer's thread runs between.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

from opentelemetry.sdk.trace import TracerProvider

from recallwatch.record import Recorder

from .processes import machine

IDS, SCORES = [f"doc-{n}" for n in range(10)], [1 / (n + 1) for n in range(10)]
PAUSE = 2_000  # recalls between two pauses in which the writer catches up, as a service's own work would let it


def bare(recorder: Recorder) -> None:
    """Query, ids and scores."""
    with recorder.recall("where do I work?", top_k=10, tenant_id="acme") as r:
        r.results(IDS, SCORES)


def staged(recorder: Recorder) -> None:
    """Three stages beside them."""
    with recorder.recall("where do I work?", top_k=10, tenant_id="acme") as r:
        with r.stage("embed"):
            pass
        with r.stage("search"):
            pass
        with r.stage("rerank"):
            pass
        r.results(IDS, SCORES)


def microseconds(host: Callable[[Recorder], None], recorder: Recorder, recalls: int) -> tuple[float, float]:
    """Wall clock and processor time of the host's thread a recall, µs."""
    wall = cpu = 0.0
    for _ in range(recalls // PAUSE):
        started, used = time.perf_counter(), time.thread_time()
        for _ in range(PAUSE):
            host(recorder)
        wall, cpu = wall + time.perf_counter() - started, cpu + time.thread_time() - used
        recorder.flush()
    n = recalls // PAUSE * PAUSE
    return 1e6 * wall / n, 1e6 * cpu / n


def measured(name: str, host: Callable[[Recorder], None], recalls: int, repeats: int, tracer: Any = None, **options: Any) -> str:
    """One line of the table."""
    found = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(folder, **options)
            recorder.tracer = tracer or recorder.tracer
            found.append(microseconds(host, recorder, recalls))
            recorder.close()
            assert recorder.counts.dropped == recorder.counts.failed == 0  # noqa: S101 -- a figure of lost recalls is none
    columns = zip(*found, strict=True)
    return f"{name:30}" + "".join(f"{min(times):9.1f}{statistics.median(times):9.1f}" for times in columns)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recalls", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    sdk = TracerProvider(shutdown_on_exit=False).get_tracer("benchmark")
    n, r = max(asked.recalls, PAUSE), asked.repeats
    print(machine())
    print(f"{n} recalls of 10 ids, {r} repeats\n{'µs a recall':30}{'wall':>9}{'median':>9}{'cpu':>9}{'median':>9}")
    print(measured("no SDK", bare, n, r))
    print(measured("no SDK, three stages", staged, n, r))
    print(measured("no SDK, text recorded", bare, n, r, text=True))
    print(measured("no SDK, 1 % sample", bare, n, r, sample=0.01))
    print(measured("SDK that exports nothing", bare, n, r, sdk))
    print(measured("SDK, three stages", staged, n, r, sdk))


if __name__ == "__main__":
    main()
