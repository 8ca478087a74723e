"""A store answers as the logs it was made of do, whatever was kept and whichever order it was kept in."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.drift import accepted
from recallwatch.errors import InputError, UsageError
from recallwatch.store import ingest

from .world import DAY1, DAY2, day, labels, log

PAIR = {"reference": DAY1, "current": DAY2, "threads": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two days in two files that overlap: the second repeats 50 deliveries of the first; labels; a store scored with them."""
    root = tmp_path_factory.mktemp("drift-store")
    (root / "logs").mkdir()
    first, then = day(0, per_hour=12), day(1, per_hour=12, lost=0.5, slow={"rerank": 1.4}, version="v2")
    pq.write_table(log(first), root / "logs" / "a.parquet")
    pq.write_table(log(first[:50] + then), root / "logs" / "b.parquet")
    pq.write_table(labels(), root / "labels.parquet")
    recallwatch.evaluate(root / "logs", root / "labels.parquet", store=root / "store", threads=1)
    return root


def told(result):
    """The result as bytes."""
    return json.dumps(result.to_dict())


def kept(folder):
    """Names of the drift sums a store keeps."""
    return sorted(path.name for path in (folder / "store" / "aggregates").glob("*drift-*"))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"by": ("status",)},
        {"timezone": "Asia/Kolkata"},
        {"reference": "2026-03-02T00:05..2026-03-02T20:05", "current": "2026-03-03T00:05..2026-03-03T20:05"},
    ],
    ids=["days", "by", "half-hour zone", "not whole hours"],
)
def test_a_store_gives_what_its_logs_give(folder, more):
    """Same JSON from logs and from the store, the first time and from what was kept; labels are those of the last evaluation."""
    options = {**PAIR, **more}
    expected = recallwatch.drift(folder / "logs", folder / "labels.parquet", **options)
    for _ in range(2):
        assert told(recallwatch.drift(store=folder / "store", **options)) == told(expected)
    assert expected.verdict == "fail"


def test_a_folder_that_is_a_store_is_told_by_its_content(folder):
    """``drift(folder)`` reads a store as one; among other paths it is refused."""
    assert told(recallwatch.drift(folder / "store", **PAIR)) == told(recallwatch.drift(store=folder / "store", **PAIR))
    with pytest.raises(UsageError, match="stands for itself"):
        recallwatch.drift([folder / "store", folder / "logs"], **PAIR)
    with pytest.raises(UsageError, match="not both"):
        recallwatch.drift(folder / "logs", store=folder / "store", **PAIR)


def test_sums_of_a_day_are_kept_until_the_day_changes(folder, tmp_path):
    """A second run writes nothing; a late event makes its own day's sums anew and leaves the other day's."""
    pq.write_table(log(day(0, per_hour=4)), tmp_path / "a.parquet")
    pq.write_table(log(day(1, per_hour=4)), tmp_path / "b.parquet")
    ingest([str(tmp_path / name) for name in ("a.parquet", "b.parquet")], store=tmp_path / "store")
    given = {"store": tmp_path / "store", "labels": folder / "labels.parquet", **PAIR}
    recallwatch.drift(**given)
    before = kept(tmp_path)
    assert (
        len([name for name in before if name.endswith(".parquet")]) == 8
    )  # of two days: events and times, hours, quality, exceedances
    recallwatch.drift(**given)
    assert kept(tmp_path) == before
    late = [{**row, "event_id": f"late-{row['event_id']}"} for row in day(1, seed=1, per_hour=1)[:3]]
    pq.write_table(log(late), tmp_path / "late.parquet")
    ingest(str(tmp_path / "late.parquet"), store=tmp_path / "store")
    result = recallwatch.drift(**given)
    assert result.current["events"] == 4 * 24 + 3
    after = [name for name in kept(tmp_path) if name.endswith(".parquet")]
    assert {name for name in before if name.startswith("2026-03-02")} <= set(after)
    assert {name for name in after if name.startswith("2026-03-03")} - set(before)


def test_windows_accepted_in_a_store_belong_to_its_reference(tmp_path):
    """accept, then ingest, then drift: the store reads its own list; a failed window that was accepted is reference for the next one."""
    days = [day(no, per_hour=10, lost=0.5 if no > 1 else None) for no in range(4)]
    for no, rows in enumerate(days):
        pq.write_table(log(rows), tmp_path / f"{no}.parquet")
    pq.write_table(labels(), tmp_path / "labels.parquet")
    ingest([str(tmp_path / f"{no}.parquet") for no in range(4)], store=tmp_path / "store")
    given = {"store": tmp_path / "store", "labels": tmp_path / "labels.parquet", "series": True, "threads": 1}
    windows = recallwatch.drift(**given).windows
    assert [len(window.reference["windows"]["quality"]) for window in windows] == [1, 2, 2]
    accepted.accept(tmp_path / "store", "2026-03-04", "quality")
    windows = recallwatch.drift(**given).windows
    assert [len(window.reference["windows"]["quality"]) for window in windows] == [1, 2, 3]


def test_compare_reads_a_store(folder):
    """Two variants of a store are compared as those of its logs; stages have a row each."""
    arms = {"by": "index_version", "a": "v1", "b": "v2", "threads": 1}
    expected = recallwatch.compare(folder / "logs", folder / "labels.parquet", **arms).to_dict()
    assert recallwatch.compare(store=folder / "store", **arms).to_dict() == expected
    stages = {row["stage"]: row for row in expected["metrics"] if row["metric"] == "stage_ms"}
    assert set(stages) == {"embed", "search", "rerank"}
    assert stages["rerank"]["verdict"] == "fail"
    assert stages["embed"]["verdict"] == "ok"


def test_what_a_store_cannot_answer_is_refused(folder, tmp_path):
    """No labels anywhere, no store there, a store without logs: one line each that says what to do."""
    ingest(str(folder / "logs" / "a.parquet"), store=tmp_path / "store")
    with pytest.raises(UsageError, match="no labels given, and the store has none yet"):
        recallwatch.drift(store=tmp_path / "store", **PAIR)
    with pytest.raises(InputError, match="no store there"):
        recallwatch.drift(store=tmp_path / "nowhere", **PAIR)


def test_the_commands_take_a_store(folder):
    """`drift STORE` and `compare STORE` need no labels; stdout is the same as from the logs."""
    named = ("--reference", DAY1, "--current", DAY2, "--threads", "1")
    for command, more in (("drift", named), ("compare", ("--by", "index_version", "--a", "v1", "--b", "v2", "--threads", "1"))):
        from_store, from_logs = (
            subprocess.run(
                [sys.executable, "-m", "recallwatch", command, *given, *more], capture_output=True, text=True, check=False
            )
            for given in ((str(folder / "store"),), (str(folder / "logs"), "--labels", str(folder / "labels.parquet")))
        )
        assert from_store.returncode == 0, from_store.stderr
        assert from_store.stdout == from_logs.stdout
