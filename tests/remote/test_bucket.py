"""A store on object storage is the store of a folder: the same numbers, whole after a kill, one writer at a time."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))  # the logs and the killing of the tests of a local store
from killing import Nursery
from store_logs import events, label_rows, write

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import InputError, UsageError
from recallwatch.base.tracing import Steps
from recallwatch.evaluation.source import source_of
from recallwatch.evaluation.walk import on_one_state, recalls
from recallwatch.scoring.binding import bind
from recallwatch.scoring.plan import plan_of
from recallwatch.store import ingest, lease, open_store
from recallwatch.store.lock import writing
from recallwatch.store.maintenance import info, verify
from recallwatch.store.snapshot import take
from recallwatch.store.sql_query import as_csv, ask

STORE = "s3://bucket/kept/store"
KILLS, SOURCES = 6, 5


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labels of twelve queries."""
    return write(label_rows(), tmp_path_factory.mktemp("labels") / "labels.jsonl")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Five logs of ten events."""
    rows = events(10 * SOURCES)
    for number in range(SOURCES):
        write(rows[10 * number : 10 * number + 10], tmp_path / "logs" / f"{number:02}.jsonl")
    return tmp_path / "logs"


def json_of(store: Any, labels: Path | None, **options: Any) -> str:
    """What `evaluate -f json` says."""
    return json.dumps(recallwatch.evaluate(store=store, labels=labels, threads=1, k="5", **options).to_dict())


def test_as_in_a_folder(bucket: Any, logs: Path, labels: Path, tmp_path: Path) -> None:
    """Ingest, evaluate, drift, sql and verify of a store there say what they say of one here, run after run."""
    here = tmp_path / "store"
    for store in (here, STORE):
        assert len(ingest([logs], store=store).new) == SOURCES
    assert json_of(STORE, labels, window="day") == json_of(here, labels, window="day")
    write([*events(10), *events(3, seed=9)], logs / "00.jsonl")
    for store in (here, STORE):
        done = ingest([logs], store=store)
        assert (len(done.changed), len(done.unchanged)) == (1, SOURCES - 1)
    assert json_of(STORE, None, by="tenant_id") == json_of(here, None, by="tenant_id")
    asked: dict[str, Any] = {"reference": "2026-03-01..2026-03-03", "current": "2026-03-03..2026-03-05"}
    assert recallwatch.drift(STORE, **asked).to_dict() == recallwatch.drift(here, **asked).to_dict()
    for query in ("from metrics", "select * exclude (source) from events order by all", "select count(*) from runs"):
        assert as_csv(ask(STORE, query)) == as_csv(ask(here, query)), query
    assert verify(open_store(STORE)) == []
    assert info(open_store(STORE))["sources"] == SOURCES
    names = {path.rpartition("/")[2] for path in bucket.find("bucket/kept/store")}
    assert {"store.json", "recall.duckdb", "database.json"} <= names
    assert not [name for name in names if ".tmp" in name or "lock" in name]
    parts = {Path(path).name for path in bucket.find("bucket/kept/store/events")}
    ingest([logs], store=STORE)  # the part that was replaced goes with the next run
    assert {Path(path).name for path in bucket.find("bucket/kept/store/events")} < parts


def test_the_commands(bucket: Any, logs: Path, labels: Path) -> None:
    """An address stands where a folder does: ingest, evaluate, sql, store info, drift; one line where there is nothing."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "recallwatch", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy())

    done = run("ingest", logs, "--store", STORE)
    assert (done.returncode, done.stdout) == (0, "5 new, 0 unchanged · 50 events and 0 rejects read\n"), done.stderr
    assert run("evaluate", "--store", STORE, "--labels", labels, "-m", "recall@5").returncode == 0
    assert run("sql", STORE, "select count(*) as n from events", "-f", "csv").stdout == "n\n50\n"
    assert json.loads(run("store", "info", STORE).stdout)["folder"] == STORE
    missing = run("sql", "s3://bucket/nothing", "select 1")
    assert (missing.returncode, "recallwatch ingest LOGS" in missing.stderr) == (3, True), missing.stderr


def test_killed_at_six_moments(bucket: Any, logs: Path, labels: Path, tmp_path: Path) -> None:
    """Seeded SIGKILLs of an ingest: a reader that polls sees whole states only, the end is that of an undisturbed run."""
    ingest([logs], store=tmp_path / "undisturbed")
    kept = open_store(STORE, create=True)
    rng, stop, killed = random.Random(6), threading.Event(), 0
    seen: set[tuple[str, ...]] = set()
    failures: list[Exception] = []

    def poll() -> None:
        try:
            while not stop.wait(0.05):
                found = take(kept)
                assert sum(marker.n_events for marker in found.markers) == 10 * len(found.markers)
                seen.add(tuple(Path(marker.source).name for marker in found.markers))
        except Exception as error:
            failures.append(error)

    reader = threading.Thread(target=poll)
    reader.start()
    with Nursery(kept.folder, logs) as nursery:
        for number in range(KILLS):
            killed += nursery.run(rng.uniform(0.0, 0.3), commits=number % 2)
        nursery.run(None)
    stop.set()
    reader.join()
    assert failures == []
    assert killed >= KILLS // 2
    names = [path.name for path in sorted(logs.iterdir())]
    assert seen <= {tuple(names[:n]) for n in range(SOURCES + 1)}
    assert verify(open_store(STORE)) == []
    assert json_of(STORE, labels) == json_of(tmp_path / "undisturbed", labels)


def test_readers_while_a_source_changes(bucket: Any, logs: Path, labels: Path) -> None:
    """A log that grows again and again, its old parts removed: whatever is read meanwhile is one of its states."""
    ingest([logs], store=STORE)
    json_of(STORE, labels)
    kept, failures, counts = open_store(STORE), list[Exception](), set[int]()

    def grow() -> None:
        try:
            for n in range(11, 15):
                write(events(n), logs / "00.jsonl")
                ingest([logs], store=STORE)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=grow)
    thread.start()
    while thread.is_alive():
        engine, plan = Engine(threads=1), plan_of()
        bind(engine, plan.definition, plan.cut)
        steps = Steps("reading", engine)
        on_one_state(lambda source, engine=engine, plan=plan, steps=steps: recalls(engine, source, None, plan, steps))(
            source_of(None, kept)
        )
        counts.add(engine.run("select count(*) from events")[0][0])
        engine.close()
    thread.join()
    assert failures == []
    assert counts <= {50, 51, 52, 53, 54}


@pytest.fixture
def owned(bucket: Any) -> Iterator[Any]:
    """An empty store; what its lock holds is for the test to write."""
    open_store(STORE, create=True)

    def own(**owner: Any) -> None:
        whole = {"pid": 1, "host": socket.gethostname(), "boot": lease._boot(), "started": "1", "token": "t", **owner}
        bucket.pipe("bucket/kept/store/writer.lock", json.dumps(whole).encode())

    yield own


def test_two_writers(owned: Any, logs: Path, labels: Path) -> None:
    """The second is told the first one's process; readers go on and keep nothing; nothing is left behind."""
    ingest([logs], store=STORE)
    kept = open_store(STORE)
    with writing(kept):
        with pytest.raises(UsageError, match=rf"process {os.getpid()} is writing"):
            ingest([logs], store=STORE)
        assert json.loads(json_of(STORE, labels))["counts"]["events"] == 50
        assert not list(kept.path("labels").glob("*.parquet"))
    assert not kept.path("writer.lock").exists()


def test_leases_of_the_dead_and_of_other_hosts(owned: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead process's lease is taken over at once, another host's when it was not renewed for long enough, by the service's clock."""
    owned(pid=os.getpid(), started="another start")
    assert len(ingest([logs], store=STORE).new) == SOURCES
    owned(host="elsewhere")
    with pytest.raises(UsageError, match=r"process 1 on host elsewhere is writing.*runs out in 1[12]\d s"):
        ingest([logs], store=STORE)
    monkeypatch.setattr(lease, "EXPIRES", -1.0)
    assert len(ingest([logs], store=STORE).unchanged) == SOURCES


def test_a_lease_that_was_lost(owned: Any, logs: Path) -> None:
    """A writer that was away for so long that another took over commits nothing more, and leaves the other's lease alone."""
    ingest([logs], store=STORE)
    write(events(11), logs / "00.jsonl")
    kept = open_store(STORE)
    before = kept.contents("commits", ".json")
    with pytest.raises(UsageError, match="another writer took the store over"), writing(kept):
        owned(host="elsewhere")
        from recallwatch.store import marker

        marker.write(kept, take(kept).markers[0])
    assert kept.contents("commits", ".json") == before
    assert b"elsewhere" in kept.path("writer.lock").read_bytes()


def test_a_lease_is_renewed(owned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner writes it again while it works, so that it never looks left behind."""
    monkeypatch.setattr(lease, "RENEWED", 0.05)
    kept = open_store(STORE)
    renewed = threading.Event()
    real = lease.Lease._replace

    def replace(self: lease.Lease, seen: bytes) -> bool:
        found = real(self, seen)
        if found:
            renewed.set()
        return found

    monkeypatch.setattr(lease.Lease, "_replace", replace)
    with writing(kept):
        assert renewed.wait(10)
        lease.confirm(kept)


def test_what_is_damaged_is_told(bucket: Any, logs: Path, labels: Path) -> None:
    """A part that is gone or cut, a marker that is no JSON: refused by address; ingest mends it."""
    ingest([logs], store=STORE)
    whole = json_of(STORE, labels)
    kept = open_store(STORE)
    part = min(kept.path("events").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"were committed.*Ingest its source again"):
        json_of(STORE, None)
    min(kept.path("commits").glob("*.json")).write_bytes(b"{half")
    with pytest.raises(InputError, match=r"s3://bucket/kept/store/commits/00.jsonl\S+: not JSON"):
        json_of(STORE, None)
    ingest([logs], store=STORE)
    assert json_of(STORE, None).replace('"labels": "store"', '"labels": "JSON lines"') == whole


def test_nobody_answers(bucket: Any, logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such bucket, or no service: one line."""
    with pytest.raises(UsageError, match=r"^s3://none/store\S*: cannot be written"):
        ingest([logs], store="s3://none/store")
    with pytest.raises(UsageError, match="nothing://"):
        open_store("nothing://bucket/store")


CONFIG = """
logs = "{logs}"
labels = "{labels}"
store = "s3://bucket/kept/store"
by = []
[outputs]
folder = "s3://bucket/report"
write = ["json"]
"""


def test_a_nightly_run(bucket: Any, logs: Path, labels: Path, tmp_path: Path) -> None:
    """`recallwatch run` and `accept` with everything in the bucket: store, accepted windows, records of the nights and outputs."""
    from recallwatch.monitor.accepted import accept
    from recallwatch.nightly.run import run

    bucket.put(str(logs), "bucket/logs", recursive=True)
    bucket.put(str(labels), "bucket/labels.jsonl")
    config = tmp_path / "recallwatch.toml"
    config.write_text(CONFIG.format(logs="s3://bucket/logs", labels="s3://bucket/labels.jsonl"))
    bucket.pipe("bucket/kept/store/accepted.json", b"[]")  # a folder of a bucket is there with its first file
    accept(STORE, "2026-03-03", "latency")
    done = run(config)
    assert done.night.evaluation["counts"]["events"] == 50
    assert [Path(path).name for path in bucket.find("bucket/report")] == [path.name for path in done.files]
    assert len(bucket.find("bucket/kept/store/nights")) == 1
    assert json.loads(bucket.cat("bucket/kept/store/accepted.json"))[0]["family"] == "latency"
    assert run(config).record == done.record
    assert len(bucket.find("bucket/kept/store/nights")) == 1
