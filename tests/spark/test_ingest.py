"""A store that a cluster made is the one that one machine makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import house
import pytest
from conftest import one_machine

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.store import open_store
from recallwatch.store.maintenance import verify
from recallwatch.store.snapshot import take

FILES = 5


def rows() -> list[str]:
    """The log of the byte tests as JSON lines; 40 deliveries are of events already there."""
    return [json.dumps({**row, "stage_ms": dict(row["stage_ms"])}, default=str) + "\n" for row in one_machine.log()]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log in five files, with a bad line in one of them."""
    folder, lines = tmp_path_factory.mktemp("logs"), rows()
    for number in range(FILES):
        (folder / f"part-{number}.jsonl").write_text("".join(lines[number::FILES]) + ("INFO start\n" if number == 3 else ""))
    return folder


def on(spark: Any, logs: Any, store: Path, **options: Any) -> Any:
    from recallwatch.spark import ingest

    return ingest(spark, logs, store=store, **{"tasks": 2, "max_rejects": 0.1, **options})


def text_of(store: Path, labels: Path | None) -> str:
    """What `evaluate -f json` says."""
    return json.dumps(recallwatch.evaluate(store=store, labels=labels, by="arm", window="day", per_query=True, k="5").to_dict())


def test_the_same_store(spark: Any, logs: Path, labels: Path, tmp_path: Path) -> None:
    """Parts by tasks, commits by the driver: the bytes of an evaluation, and every marker but for the parts' names, are one machine's."""
    from recallwatch.store import ingest

    alone = ingest([logs], store=tmp_path / "alone", max_rejects=0.1)
    done = on(spark, logs, tmp_path / "store")
    assert done.to_dict() == alone.to_dict()
    assert text_of(tmp_path / "store", labels) == text_of(tmp_path / "alone", labels)
    assert verify(open_store(tmp_path / "store")) == []
    facts = [
        [{**vars(one), "events": None, "rejects": None, "files": None} for one in take(open_store(tmp_path / name)).markers]
        for name in ("store", "alone")
    ]
    assert facts[0] == facts[1]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])  # the log crosses a night of 25 hours
def test_days_summed_by_tasks(
    spark: Any, logs: Path, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    """Logs into a store and its numbers, both by the cluster: the bytes of one machine, and the driver sums no day itself."""
    from recallwatch.spark import evaluate
    from recallwatch.store import day_sums

    asked: dict[str, Any] = {"by": "arm", "window": "day", "timezone": zone, "per_query": True, "k": "5", "max_rejects": 0.1}
    alone = recallwatch.evaluate(logs, labels, store=tmp_path / "alone", **asked).to_dict()

    def refuse(*_: object) -> None:
        raise AssertionError("summed by the driver")

    monkeypatch.setattr(day_sums, "map_rest", refuse)
    found = evaluate(spark, logs, labels, store=tmp_path / "store", tasks=2, **asked).to_dict()
    assert json.dumps(found) == json.dumps(alone)
    again = evaluate(spark, None, None, store=tmp_path / "store", tasks=2, **asked).to_dict()
    assert again["metrics"] == alone["metrics"]
    assert verify(open_store(tmp_path / "store")) == []


def test_only_what_is_new(spark: Any, logs: Path, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unchanged files are nobody's work; a touched one is told by its hash, a grown one read again, a bad one stops no other."""
    from recallwatch.spark import ingestion as ingesting

    folder = tmp_path / "logs"
    folder.mkdir()
    for path in logs.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    assert len(on(spark, folder, tmp_path / "store").new) == FILES
    (folder / "part-0.jsonl").touch()
    with (folder / "part-1.jsonl").open("a") as file:
        file.write('{"event_id": "more", "timestamp": "2026-10-25T01:00:00Z", "query_id": "q3", "ranked_ids": ["d1"]}\n')
    (folder / "part-9.jsonl").write_text("no log\n" * 20)
    with pytest.raises(InputError, match=r"part-9.jsonl"):
        on(spark, folder, tmp_path / "store")
    (folder / "part-9.jsonl").unlink()
    assert sum(one.n_events for one in take(open_store(tmp_path / "store")).markers) == len(rows()) + 1
    monkeypatch.setattr(ingesting, "_commit", None)  # no job
    assert len(on(spark, folder, tmp_path / "store").unchanged) == FILES


def test_a_store_that_workers_do_not_see(spark: Any, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is committed of a part that the driver cannot find where the task says it wrote it."""
    from recallwatch.spark import ingestion as ingesting

    monkeypatch.setattr(ingesting, "sizes_of", lambda *_: {})
    with pytest.raises(UsageError, match="storage that driver and workers share"):
        on(spark, logs, tmp_path / "store")
    assert take(open_store(tmp_path / "store")).markers == ()


def test_the_command(
    spark: Any, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ingest --engine spark --master …` prints what `ingest` prints."""
    from recallwatch import spark as ours
    from recallwatch.cli import app

    def here(master: str, logs: Any, **options: Any) -> Any:
        assert master == "local[2]"
        return ours.ingest(spark, logs, **options)

    monkeypatch.setattr(ours, "ingest_on", here)
    command = ["ingest", str(logs), "--store", str(tmp_path / "store"), "--engine", "spark", "--master", "local[2]"]
    app([*command, "--max-rejects", "10%"], standalone_mode=False)
    assert capsys.readouterr().out == f"{FILES} new, 0 unchanged · {len(rows())} events and 1 reject read\n"


def test_no_room_is_entered_twice_on_the_driver(spark: Any, logs: Path, labels: Path) -> None:
    """From the call down to what is shipped: as tests/unit/test_way.py asks of one machine."""
    from recallwatch.spark import evaluate

    assert house.twice(lambda: evaluate(spark, str(logs), labels, tasks=2, max_rejects=0.1)) == []
