"""The recorder keeps what it promises its host: no error, no waiting, nothing lost uncounted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import run as command
from recording import events_of, lines_in, run

import recallwatch
from recallwatch.base.errors import UsageError
from recallwatch.record import Recorder, finish, hits_of
from recallwatch.record import writer as writing

KILLED = """
import sys, time
from recallwatch.record import Recorder
recorder = Recorder(sys.argv[1], flush_seconds=0.05, rotate_mb=float(sys.argv[2]), format=sys.argv[3])
for n in range(10**9):
    with recorder.recall(f"q{n}", query_id=f"q{n}") as r:
        r.results([f"d{n}"])
    if n % 50 == 0:
        time.sleep(0.01)
        print(recorder.counts.written, flush=True)
"""
FORKED = """
import os, sys, threading
from recallwatch.record import Recorder
recorder = Recorder(sys.argv[1], flush_seconds=5)
def record(name):
    with recorder.recall(name, query_id=name) as r:
        r.results([name])
for n in range(20):
    record(f"parent{n}")
children = []
for c in range(3):
    pid = os.fork()
    if pid == 0:
        for n in range(20):
            record(f"child{c}-{n}")
        recorder.close()
        os._exit(0)
    children.append(pid)
assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
record("after")
"""
FORGOTTEN = """
import signal, sys
from recallwatch.record import Recorder
def record(n):
    recorder = Recorder(sys.argv[1], flush_seconds=60)
    with recorder.recall(query_id=n) as r:
        r.results([n])
record("first")
record("second")
"""
LOADED = """
import sys
import recallwatch.record
print(sorted({"duckdb", "polars", "pyarrow", "numpy", "typer"} & {name.split(".")[0] for name in sys.modules}))
"""


def record(recorder: Recorder, *names: str) -> None:
    """A recall a name."""
    for name in names:
        with recorder.recall(name, query_id=name) as r:
            r.results([name])


def test_import_is_light() -> None:
    """The recorder loads neither DuckDB nor any of the evaluator's libraries."""
    done = run(LOADED)
    assert done.stdout == "[]\n", done.stderr


def test_a_forgotten_recorder_writes_at_exit(tmp_path: Path) -> None:
    """Recorders that nobody closed or holds any more hand everything over when the process ends, under final names."""
    done = run(FORGOTTEN, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(e["query_id"] for e in lines_in(tmp_path)) == ["first", "second"]
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("rotate_mb", "format", "fewest", "most"), [(64, "jsonl", 1, 1), (0.02, "jsonl", 0, 1), (0.02, "parquet", 0, 9)]
)
def test_a_killed_process_loses_the_unflushed_tail_only(
    tmp_path: Path, rotate_mb: float, format: str, fewest: int, most: int
) -> None:
    """Whatever was flushed before SIGKILL is read: events 0 to n without a gap, and at most the last line is cut."""
    folder = tmp_path / "recalls"
    command = [sys.executable, "-c", KILLED, str(folder), str(rotate_mb), format]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        written = 0
        while written < 400 or not (format == "jsonl" or list(folder.glob("*.parquet"))):
            written = int(host.stdout.readline())
        host.send_signal(signal.SIGKILL)
    found = {e["event_id"]: e["query_id"] for e in events_of(folder, tmp_path)}
    assert len(found) >= written
    assert set(found.values()) == {f"q{n}" for n in range(len(found))}
    assert fewest <= len(list(folder.glob("*.open"))) <= most


def test_the_next_process_finishes_a_dead_ones_file(tmp_path: Path) -> None:
    """A file whose writer is gone gets its final name; one that is being written keeps its own."""
    dead = tmp_path / "recalls-1-1-a-1.jsonl.open"
    dead.write_text("{}\n")
    os.utime(dead, (1, 1))
    recorder = Recorder(tmp_path)
    record(recorder, "a")
    recorder.flush()
    assert not dead.exists() and dead.with_suffix("").exists()
    mine = next(tmp_path.glob("*.open"))
    os.utime(mine, (1, 1))
    assert finish(tmp_path) == [] and mine.exists()
    recorder.close()
    assert not list(tmp_path.glob("*.open"))


def test_forks_write_files_of_their_own(tmp_path: Path) -> None:
    """Every event of a parent and its children is written once, whatever was queued when they parted."""
    done = run(FORKED, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    ids = [e["query_id"] for e in lines_in(tmp_path)]
    expected = [f"parent{n}" for n in range(20)] + [f"child{c}-{n}" for c in range(3) for n in range(20)] + ["after"]
    assert sorted(ids) == sorted(expected)
    assert len({e["span_id"] for e in lines_in(tmp_path)}) == len(ids)


def test_threads_lose_nothing(tmp_path: Path) -> None:
    """Events of many threads are whole lines, each once, over several files."""
    recorder = Recorder(tmp_path, flush_seconds=0.001, rotate_mb=0.01)
    threads = [threading.Thread(target=record, args=(recorder, *(f"{t}-{n}" for n in range(100)))) for t in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    assert len({e["query_id"] for e in lines_in(tmp_path)}) == len(lines_in(tmp_path)) == 800 == recorder.counts.written
    assert len(list(tmp_path.glob("*.jsonl"))) > 1 and not list(tmp_path.glob("*.open"))


def test_a_full_queue_drops_and_counts(tmp_path: Path) -> None:
    """What does not fit the queue is dropped, counted, and the next event written says how many were lost."""
    recorder = Recorder(tmp_path, queue_size=3, flush_seconds=60)
    assert recorder.writer is not None
    with recorder.writer._io:  # the disk is busy
        record(recorder, *"abcdefgh")
    assert recorder.counts.dropped >= 2
    recorder.flush()
    record(recorder, "later")
    recorder.close()
    counts, lines = recorder.counts, lines_in(tmp_path)
    assert counts.recalls == 9 == counts.written + counts.dropped
    assert len(lines) == counts.written
    told = [e["attributes"]["recallwatch.dropped"] for e in lines if "attributes" in e]
    assert told and int(told[-1]) == counts.dropped
    record(recorder, "closed")
    assert recorder.counts.dropped == counts.dropped + 1


def test_a_full_disk_costs_events_and_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half way leaves no half line; its events are counted, later ones are written."""
    recorder = Recorder(tmp_path, flush_seconds=60)
    record(recorder, "before")
    recorder.flush()
    real, calls = os.write, []

    def full(file: int, data: bytes) -> int:
        calls.append(file)
        if len(calls) == 1:
            return real(file, data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "write", full)
    record(recorder, "lost", "lost too")
    recorder.flush()
    monkeypatch.undo()
    record(recorder, "after")
    recorder.close()
    assert [e["query_id"] for e in lines_in(tmp_path)] == ["before", "after"]
    assert recorder.counts.dropped == 2


def test_no_folder_no_error(tmp_path: Path) -> None:
    """A folder that cannot be made is the recorder's trouble: counted, told in the log, never raised."""
    (tmp_path / "file").write_text("")
    recorder = Recorder(tmp_path / "file" / "recalls", flush_seconds=60)
    record(recorder, "a")
    recorder.close()
    assert recorder.counts.dropped == 1


class Odd:
    """An id nobody can write down."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def test_nothing_raises_into_the_host(tmp_path: Path) -> None:
    """Wrong arguments are counted; the host's own errors pass through unchanged."""
    recorder = Recorder(tmp_path)
    with recorder.recall(Odd(), top_k="many", tenant_id=Odd()) as r:  # type: ignore[arg-type]
        r.results(7)  # type: ignore[arg-type]
        r.results([Odd()])
        r.candidates(None)  # type: ignore[arg-type]
        r.hits(None)
        r.set(input_tokens="x")
        with r.stage("search"):
            pass
    with recorder.recall("\ud800") as r:
        r.results(["\ud800"], ["x"])
    error = KeyError("host")
    with pytest.raises(KeyError) as raised, recorder.recall("q") as r, r.stage("search"):
        raise error
    assert raised.value is error
    recorder.close()
    assert recorder.counts.failed >= 5
    assert recorder.counts.written == 2


def test_a_watched_function_fails_as_before(tmp_path: Path) -> None:
    """A decorated function returns what it returned and raises what it raised, also for a wrong call."""
    recorder = Recorder(tmp_path, text=True)

    class Memory:
        @recorder.watch(tenant_id="acme")
        def search(self, query: str, top_k: int = 5) -> Any:
            return None if query == "odd" else [("m1", 0.5)][:top_k]

    assert Memory().search("where?", top_k=1) == [("m1", 0.5)]
    assert Memory().search("odd") is None
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        Memory().search()
    recorder.close()
    first = lines_in(tmp_path)[0]
    assert (first["query_text"], first["top_k"], first["ranked_ids"], first["scores"]) == ("where?", 1, ["m1"], [0.5])


def test_sampling_keeps_its_rate(tmp_path: Path) -> None:
    """Every recorded event of a sample says its rate; what was left out is counted."""
    with Recorder(tmp_path, sample=0.5) as recorder:
        record(recorder, *(str(n) for n in range(200)))
    lines, counts = lines_in(tmp_path), recorder.counts
    assert 0 < len(lines) < 200 and len(lines) + counts.sampled_out == 200
    assert {e["attributes"]["sampling_rate"] for e in lines} == {"0.5"}


@pytest.mark.parametrize("fsync", ["never", "rotate", "always"])
def test_fsync_policies_write_the_same(tmp_path: Path, fsync: str) -> None:
    """What a power cut may cost is a choice; what is written is not."""
    with Recorder(tmp_path, fsync=fsync) as recorder:
        record(recorder, "a", "b")
    assert [e["query_id"] for e in lines_in(tmp_path)] == ["a", "b"]


def test_old_files_are_closed(tmp_path: Path) -> None:
    """A quiet host's file gets its final name once it is old enough, without a further event."""
    recorder = Recorder(tmp_path, flush_seconds=0.01, rotate_seconds=0.02)
    record(recorder, "a")
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(tmp_path.glob("*.jsonl")) and not list(tmp_path.glob("*.open"))
    recorder.close()


@pytest.mark.parametrize(
    "options", [{"sample": 2}, {"operation": "chat"}, {"queue_size": 0}, {"fsync": "maybe"}, {"flush_seconds": 0}]
)
def test_wrong_options_are_told_at_once(options: dict[str, Any]) -> None:
    """A recorder that cannot be meant is refused when it is made."""
    with pytest.raises(UsageError, match="Recorder"):
        Recorder(**options)


class Node:
    """A document in LlamaIndex's shape."""

    node_id = "n1"
    text = "content"


class Scored:
    """A node with its score."""

    node, score = Node(), 0.5


class Document:
    """A document in LangChain's shape."""

    id = None
    page_content = "content"
    metadata = {"id": "d1"}  # noqa: RUF012 -- as a document has it


@pytest.mark.parametrize(
    ("found", "ids", "scores"),
    [
        (["a", 7, None], ["a", "7", None], None),
        ([("a", 0.5), ("b", float("inf"))], ["a", "b"], [0.5, None]),
        ([{"id": "a", "score": 1}, {"document_id": 2}], ["a", "2"], [1.0, None]),
        ({"ids": ["a"], "scores": [0.5]}, ["a"], [0.5]),
        ({"results": [{"id": "a", "score": 0.5}]}, ["a"], [0.5]),
        ((["a", "b"], [0.5, 0.25]), ["a", "b"], [0.5, 0.25]),
        ([Scored()], ["n1"], [0.5]),
        ([Document(), (Document(), 0.5)], ["d1", "d1"], [None, 0.5]),
        ([], [], None),
    ],
)
def test_shapes_of_results(found: Any, ids: list[str | None], scores: list[float | None] | None) -> None:
    """Ids, pairs, mappings, LangChain documents and LlamaIndex nodes are read as what they say."""
    hits = hits_of(found)
    assert (hits.ids, hits.scores) == (ids, scores)


@pytest.mark.parametrize("found", [None, "text", {"answer": "text"}, 7])
def test_no_list_is_no_ranking(found: Any) -> None:
    """What is no list of results is refused: missing is not empty."""
    with pytest.raises(TypeError):
        hits_of(found)


def test_the_question_of_several_searches(tmp_path: Path) -> None:
    """An agent's run sets its question once as baggage; step and validity are told with the recall; evaluate brings the searches together."""
    import datetime as dt

    import pyarrow as pa
    from opentelemetry import baggage, context

    import recallwatch

    token = context.attach(baggage.set_baggage("question.id", "q1"))
    try:
        with Recorder(tmp_path) as recorder:
            for hop, ids in enumerate((["a", "x"], ["y", "b"]), 1):
                with recorder.recall(f"step {hop}", session_id="run 1", hop=hop) as r:
                    r.results(ids, valid_to=[None, dt.date(2026, 2, 1)])
    finally:
        context.detach(token)
    events = lines_in(tmp_path)
    assert [event["attributes"]["question_id"] for event in events] == ["q1", "q1"]
    assert [event["attributes"]["hop"] for event in events] == ["1", "2"]
    assert events[0]["attributes"]["valid_to"] == '[null, "2026-02-01"]'
    labels = pa.table({"query_id": ["q1", "q1"], "document_id": ["a", "b"], "hop": [1, 2]})
    result = recallwatch.evaluate(tmp_path, labels, unit="session", metrics=("all_found@4",)).to_dict()
    assert (result["metrics"][0]["value"], result["counts"]["questions"]) == (1, 1)


def test_results_without_ids_are_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They are recorded as unknown, rank for rank; the first such list is logged, the host gets nothing of it."""
    with Recorder(tmp_path) as recorder:
        search = recorder.watch()(lambda _query: [{"text": "no id"}, {"id": "m1", "text": "one"}])
        for query in ("a", "b"):
            search(query)
    rows = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert [row["ranked_ids"] for row in rows] == [[None, "m1"]] * 2
    assert [record.message.partition(";")[0] for record in caplog.records] == [
        "results without an id are recorded as unknown, and count as not relevant"
    ]


def test_labels_by_text_meet_a_log_without_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes the labels under the recorder's salted hashes: no text is in log or labels, and the recall is what it is by text."""
    monkeypatch.setenv("RECALLWATCH_HASH_KEY", "s3cret")
    kept = {"where do I work?": ["acme"], "my   allergy": ["nuts"]}
    with Recorder(tmp_path / "log", hash_key=b"s3cret") as recorder:
        for query in kept:
            recorder.watch()(kept.get)(query)
    labels, hashed = tmp_path / "labels.jsonl", tmp_path / "hashed.parquet"
    labels.write_text(
        '{"query": "where do I work?", "relevant": ["acme"]}\n{"query": "my allergy", "relevant": ["nuts", "milk"]}\n'
    )
    done = command("evaluate", tmp_path / "log", "--labels", labels)
    assert (done.returncode, "recallwatch labels hash" in done.stderr) == (3, True)
    done = command("labels", "hash", labels, "-o", hashed)
    assert (done.returncode, done.stderr) == (0, f"recallwatch: 2 queries hashed: {hashed}\n")
    assert b"work" not in hashed.read_bytes() and b"allergy" not in hashed.read_bytes()
    result = recallwatch.evaluate(tmp_path / "log", hashed, metrics="recall", k=1)
    assert result.to_polars()["value"].to_list() == [0.75]
    done = command("labels", "hash", hashed, "-o", tmp_path / "again.parquet")
    assert (done.returncode, "no label is known by its text alone" in done.stderr) == (3, True)
