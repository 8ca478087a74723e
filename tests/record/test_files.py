"""The recorder's folder: Parquet beside lines, two processes, a disk that is really full, an example memory by file and by trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from recording import bare, events_of, lines_in, run

import recallwatch
import recallwatch.store
from recallwatch.base.errors import UsageError
from recallwatch.record import Recorder, columnar, finish

ROOT = Path(__file__).parents[2]


def record(recorder: Recorder, *names: str) -> None:
    """A recall a name, with everything a column can hold."""
    for name in names:
        with recorder.recall(name, query_id=name, top_k=3, tenant_id="acme", city="Porto") as r:
            with r.stage("search"):
                r.candidates([name, None, "x"])
            r.results([name, None], [0.5, float("nan")], [f"text {name}", None])
            r.set(input_tokens=3, cost_usd=0.5, cache_hit=True)


def test_parquet_holds_the_events_of_the_lines(tmp_path: Path) -> None:
    """Every column, null and attribute arrives alike by Parquet and by lines; a recall without results is rejected in both."""
    with Recorder(tmp_path / "lines", text=True) as recorder:
        record(recorder, "a", "b")
        with pytest.raises(LookupError), recorder.recall("broken"):
            raise LookupError
        with recorder.recall("results never told"):
            pass
    (lines,) = (tmp_path / "lines").iterdir()
    (tmp_path / "columns").mkdir()
    columnar.to_parquet(lines, tmp_path / "columns" / "recalls.parquet", sync=True)
    one, other = (events_of(tmp_path / name, tmp_path, max_rejects=0.5) for name in ("lines", "columns"))
    assert len(one) == 3 and bare(one) == bare(other)
    assert [dict(e["attributes"] or ()) for e in one] == [dict(e["attributes"] or ()) for e in other]


def test_a_closed_file_is_parquet(tmp_path: Path) -> None:
    """Nothing but whole Parquet files is left, however often the file was rotated; each event is there once."""
    recorder = Recorder(tmp_path / "recalls", format="parquet", rotate_mb=0.005, flush_seconds=0.01)
    for n in range(10):
        record(recorder, *(f"{n}-{i}" for i in range(20)))
        recorder.flush()
    recorder.close()
    left = list((tmp_path / "recalls").iterdir())
    assert left and {path.suffix for path in left} == {".parquet"}
    assert len({e["query_id"] for e in events_of(tmp_path / "recalls", tmp_path)}) == 200 == recorder.counts.written


WATCHED = """
import sys, threading
from recallwatch.record import Recorder
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "pyarrow":
            print(threading.current_thread().name)
sys.meta_path.insert(0, Finder())
recorder = Recorder(sys.argv[1], format="parquet")
with recorder.recall(query_id="a") as r:
    r.results(["a"])
"""


def test_only_the_writers_thread_loads_pyarrow(tmp_path: Path) -> None:
    """The host never waits for the import; a recorder that nobody closes still leaves Parquet at exit."""
    done = run(WATCHED, tmp_path)
    assert (done.stdout, done.stderr) == ("recallwatch-record\n", "")
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"]


@pytest.mark.parametrize(
    ("broken", "error"), [("prepare", ImportError("no pyarrow")), ("to_parquet", OSError(28, "No space left"))]
)
def test_where_parquet_cannot_be_the_lines_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str, error: Exception
) -> None:
    """Without pyarrow, or without space for the copy, no event is lost: the file is JSON lines, and the log says why."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(columnar, broken, fail)
    with Recorder(tmp_path, format="parquet") as recorder:
        record(recorder, "a")
    assert [e["query_id"] for e in lines_in(tmp_path)] == ["a"] and recorder.counts.dropped == 0
    assert [path.suffix for path in tmp_path.iterdir()] == [".jsonl"]
    assert "JSON lines" in caplog.text


def test_killed_between_the_copy_and_the_clearing(tmp_path: Path) -> None:
    """Lines whose Parquet file is whole are cleared by the next recorder; until then each event counts once."""
    folder = tmp_path / "recalls"
    with Recorder(folder) as recorder:
        record(recorder, "a", "b")
    (lines,) = folder.iterdir()
    columnar.to_parquet(lines, lines.with_suffix(".parquet"), sync=False)
    lines = lines.rename(f"{lines}.open")
    (tmp_path / "labels.jsonl").write_text('{"query_id": "a", "relevant": ["a"]}\n')
    counts = recallwatch.evaluate(folder, tmp_path / "labels.jsonl").counts
    assert (counts["events"], counts["duplicate_events"]) == (2, 2)
    os.utime(lines, (1, 1))
    assert finish(folder) == [] and not lines.exists()


def test_an_unknown_format_is_told_at_once() -> None:
    """Refused when the recorder is made."""
    with pytest.raises(UsageError, match="Known: jsonl, parquet"):
        Recorder(format="csv")


OTHER = """
import sys, time
from recallwatch.record import Recorder
recorder = Recorder(sys.argv[1], flush_seconds=0.01, rotate_mb=0.002)
for n in range(300):
    with recorder.recall(query_id=f"{sys.argv[2]}-{n}") as r:
        r.results(["a"])
    if n % 50 == 0:
        recorder.flush()
print("half", flush=True)
sys.stdin.read()
recorder.close()
"""


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    """Each writes files of its own and leaves the other's open one alone, also when it starts, rotates and ends in between."""
    commands = [[sys.executable, "-W", "error", "-c", OTHER, str(tmp_path / "recalls"), name] for name in "ab"]
    first = subprocess.Popen(commands[0], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None and first.stdout.readline() == "half\n"
    for path in (tmp_path / "recalls").glob("*.open"):
        os.utime(path, (1, 1))  # long quiet, and still held
    second = subprocess.run(commands[1], input="", capture_output=True, text=True, timeout=60, check=False)
    assert (second.returncode, second.stderr) == (0, "")
    first.communicate("", timeout=60)
    assert first.returncode == 0
    ids = [e["query_id"] for e in lines_in(tmp_path / "recalls")]
    assert sorted(ids) == sorted(f"{name}-{n}" for name in "ab" for n in range(300))
    assert not list((tmp_path / "recalls").glob("*.open"))


FULL = """
import json, resource, signal, sys
from recallwatch.record import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
recorder = Recorder(sys.argv[1], flush_seconds=60, format=sys.argv[2])
for n in range(40):
    with recorder.recall(query_id=f"q{n}") as r:
        r.results(["a" * 100])
    recorder.flush()
    if n == 9:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
    if n == 29:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
recorder.close()
counts = recorder.counts
print(json.dumps([counts.recalls, counts.written, counts.dropped, counts.failed]))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes")
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_disk_that_really_fills_up(tmp_path: Path, format: str) -> None:
    """Where the system takes no more bytes the host goes on; what was written is whole lines, what was not is counted, and told when it can be."""
    done = run(FULL, tmp_path / "recalls", format)
    recalls, written, dropped, failed = json.loads(done.stdout)
    assert (recalls, written + dropped, failed) == (40, 40, 0) and 20 <= dropped <= 30
    events = events_of(tmp_path / "recalls", tmp_path)
    assert len(events) == written
    told = [dict(e["attributes"])["recallwatch.dropped"] for e in events if e["attributes"]]
    assert told == [str(dropped)]
    assert "No space left" in done.stderr or "File too large" in done.stderr


# the sample's agent memory, by file and by trace -----------------------------------------------------------------------------

MEMORY = """
import sys
from opentelemetry import trace
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(sys.argv[2])))
trace.set_tracer_provider(provider)
sys.argv[1:] = sys.argv[1:2]
import runpy
runpy.run_path("examples/record_memory.py", run_name="__main__")
provider.shutdown()
"""


def test_the_example_memory_is_the_same_by_file_and_by_trace(tmp_path: Path) -> None:
    """Instrumented, run, ingested, evaluated: the recorder's file and the exported trace hold the same events; both in one store count once."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path / "recalls"), str(tmp_path / "spans.jsonl")],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file, spans = (events_of(tmp_path / name, tmp_path) for name in ("recalls", "spans.jsonl"))
    assert len(file) == 96 and bare(file) == bare(spans)
    store, labels = tmp_path / "store", ROOT / "sample_logs" / "labels.jsonl"
    recallwatch.store.ingest([tmp_path / "recalls", tmp_path / "spans.jsonl"], store=store)
    both = recallwatch.evaluate(store=store, labels=labels, metrics=["recall@10", "mrr"])
    assert (both.counts["events"], both.counts["duplicate_events"], both.counts["labelled_events"]) == (96, 96, 60)
    alone = recallwatch.evaluate(tmp_path / "recalls", labels, metrics=["recall@10", "mrr"])
    assert both.metrics.equals(alone.metrics)
    assert "96 recalls" in done.stdout


def test_what_a_killed_recorder_left_half_written_goes(tmp_path: Path) -> None:
    """A Parquet file on its way has the name of a dead run's: the next recorder in the folder removes it, and no other file."""
    left, other = tmp_path / f".recalls-1.parquet.{'0' * 16}.tmp", tmp_path / ".recalls-1.parquet.tmp"
    for path in (left, other):
        path.write_bytes(b"half")
    with Recorder(tmp_path, format="parquet") as recorder:
        record(recorder, "a")
    assert (left.exists(), other.exists()) == (False, True)
