"""A store answers as the logs it was made of do, whatever was kept and whichever order it was kept in."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.monitor import accepted, stored_state, window_verdict
from recallwatch.monitor import drift as run
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


def sums(folder):
    """Names of the drift sums a store keeps."""
    return sorted(path.name for path in (folder / "store" / "aggregates").glob("*drift-*"))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"by": ("status",)},
        {"timezone": "Asia/Kolkata"},
        {"timezone": "America/New_York", "reference": "2026-03-02..2026-03-03", "current": "2026-03-03..2026-03-04"},
        {"reference": "2026-03-02T01..2026-03-02T20", "current": "2026-03-03T01..2026-03-03T20"},
        {"reference": "2026-03-02T00:05..2026-03-02T20:05", "current": "2026-03-03T00:05..2026-03-03T20:05"},
    ],
    ids=["days", "by", "half-hour zone", "other zone", "whole hours", "not whole hours"],
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
    before = sums(tmp_path)
    # of two days: events and times, hours, quality, exceedances, answers
    assert len([name for name in before if name.endswith(".parquet")]) == 10
    recallwatch.drift(**given)
    assert sums(tmp_path) == before
    late = [{**row, "event_id": f"late-{row['event_id']}"} for row in day(1, seed=1, per_hour=1)[:3]]
    pq.write_table(log(late), tmp_path / "late.parquet")
    ingest(str(tmp_path / "late.parquet"), store=tmp_path / "store")
    result = recallwatch.drift(**given)
    assert result.current["events"] == 4 * 24 + 3
    after = [name for name in sums(tmp_path) if name.endswith(".parquet")]
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


@pytest.fixture
def judged(monkeypatch):
    """Starts of the windows that were judged, not taken from what a store keeps."""
    starts = []

    def judge_window(found, definition, settings, refs, current, nightly=()):
        starts.append(current.start.date().isoformat())
        return window_verdict.judge_window(found, definition, settings, refs, current, nightly)

    monkeypatch.setattr(run, "judge_window", judge_window)
    return starts


@pytest.fixture
def nights(tmp_path):
    """Four days with a loss on the second, each in its file; what a series of a store, and of the same logs, is asked with."""
    for no in range(4):
        rows = day(no, per_hour=10, lost=0.5 if no == 1 else None, slow={"rerank": 1.4} if no == 3 else None)
        pq.write_table(log(rows), tmp_path / f"{no}.parquet")
    pq.write_table(labels(), tmp_path / "labels.parquet")
    more = {"labels": tmp_path / "labels.parquet", "series": True, "window": "day", "threads": 1}

    def asked(count, **options):
        return told(recallwatch.drift([str(tmp_path / f"{no}.parquet") for no in range(count)], **more | options))

    return tmp_path, more | {"store": tmp_path / "store"}, asked


def test_a_night_judges_its_own_window(nights, judged):
    """Night after night gives what one look at all logs gives, and only the newest window is judged anew."""
    home, given, at_once = nights
    for no in range(4):
        ingest(str(home / f"{no}.parquet"), store=home / "store")
        if no:
            judged.clear()
            assert told(recallwatch.drift(**given)) == (expected := at_once(no + 1))
            assert judged[0] == f"2026-03-0{no + 2}"
    judged.clear()
    assert told(recallwatch.drift(**given)) == expected
    assert judged == []


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Kathmandu", "America/New_York"])
def test_days_of_any_zone_are_kept(nights, judged, zone, monkeypatch):
    """Days of a zone west or east of Greenwich, also by a quarter of an hour: once summed, neither an event nor a window is looked at again."""
    home, given, at_once = nights
    ingest([str(home / f"{no}.parquet") for no in range(4)], store=home / "store")
    given = given | {"timezone": zone}
    assert told(recallwatch.drift(**given)) == (expected := at_once(4, timezone=zone))
    judged.clear()
    monkeypatch.setattr(stored_state.Days, "_sum", None)
    assert told(recallwatch.drift(**given)) == expected
    assert judged == []


def test_a_kept_verdict_holds_while_what_it_was_made_of_does(nights, judged):
    """A late event, an accepted window, other levels or a broken file: what they are about is judged again, and rightly."""
    home, given, at_once = nights
    ingest([str(home / f"{no}.parquet") for no in range(4)], store=home / "store")
    recallwatch.drift(**given)
    judged.clear()
    assert told(recallwatch.drift(**given, floor_metric=0.5)) == at_once(4, floor_metric=0.5)
    assert judged[:3] == ["2026-03-03", "2026-03-04", "2026-03-05"]

    accepted.accept(home / "store", "2026-03-03", "quality")
    judged.clear()
    assert told(recallwatch.drift(**given)) == at_once(4, accepted=[("2026-03-03", "quality")])
    assert judged[:2] == ["2026-03-04", "2026-03-05"]  # the second day now stands in their reference

    pq.write_table(log([{**row, "event_id": f"late-{row['event_id']}"} for row in day(3, seed=1, per_hour=1)]), home / "4.parquet")
    ingest(str(home / "4.parquet"), store=home / "store")
    judged.clear()
    assert told(recallwatch.drift(**given)) == at_once(5, accepted=[("2026-03-03", "quality")])
    assert judged[0] == "2026-03-05"

    for path in (home / "store" / "aggregates").glob("verdicts-*.json"):
        whole = path.read_text()
        path.write_text(whole.replace('": "{', '": "[', 1))
        judged.clear()
        recallwatch.drift(**given)
        path.write_text(whole[: len(whole) // 2])
        assert told(recallwatch.drift(**given)) == at_once(5, accepted=[("2026-03-03", "quality")])


def test_lines_that_could_not_be_read_stand_at_their_files_first_event(tmp_path):
    """Of a store as of the logs: one bad line in a file of the first day, fifty in one of the second, ten in one that has events of both."""
    both = [row for no in range(2) for row in day(no, seed=1, per_hour=1)]
    for name, rows, bad in (("a", day(0, per_hour=10), 1), ("b", day(1, per_hour=10), 50), ("c", both, 10)):
        lines = [json.dumps(row, default=str) for row in log(rows).to_pylist()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n{bad" * bad + "\n")
    pq.write_table(labels(), tmp_path / "labels.parquet")
    more = {"labels": tmp_path / "labels.parquet", "max_rejects": 0.5, **PAIR}
    paths = [str(tmp_path / f"{name}.jsonl") for name in "abc"]
    result = recallwatch.drift(paths, **more)
    share = next(found.measured for found in result.findings if found.measured.test == "rejected")
    assert (share.reference, share.current) == (11 / (11 + 240), 50 / (50 + 240))  # c delivers again what a and b hold
    ingest(paths, store=tmp_path / "store", max_rejects=0.5)
    assert told(recallwatch.drift(store=tmp_path / "store", **more)) == told(result)


def test_compare_reads_a_store(folder):
    """Two variants of a store are compared as those of its logs; stages have a row each."""
    arms = {"by": "index_version", "a": "v1", "b": "v2", "threads": 1}
    expected = recallwatch.compare(folder / "logs", folder / "labels.parquet", **arms).to_dict()
    assert recallwatch.compare(store=folder / "store", **arms).to_dict() == expected
    stages = {row["stage"]: row for row in expected["metrics"] if row["metric"] == "stage_ms"}
    assert set(stages) == {"embed", "search", "rerank"}
    assert stages["rerank"]["effect"] > 0.2 > 5 * abs(stages["embed"]["effect"])
    assert {row["verdict"] for row in stages.values()} == {"insufficient"}  # a day of each: one run against one


def test_what_a_store_cannot_answer_is_refused(folder, tmp_path):
    """No store there, a store without logs: one line each that says what to do."""
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
