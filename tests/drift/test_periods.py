"""drift and compare of a store are those of its logs in every number, whatever the period and the zone; duplicates on both sides of an edge."""

import json

import pyarrow.parquet as pq
import pytest

import recallwatch
from recallwatch.base.errors import InputError
from recallwatch.store import ingest

from .world import day, labels, log

EDGE = "2026-03-03T12:00"
PERIODS = [
    {"start": "2026-03-02T05:30"},
    {"end": "2026-03-04T00:00"},
    {"start": EDGE, "end": "2026-03-05T01:00", "timezone": "Asia/Kolkata", "incomplete": True},
    {"start": "2026-03-03T00:00+05:30", "timezone": "America/New_York", "incomplete": True},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three days in two files, some recalls delivered again six hours later, a broken line; a store of them, without what was summed."""
    root = tmp_path_factory.mktemp("periods")
    (root / "logs").mkdir()
    rows = [row for no in range(3) for row in day(no, per_hour=3, lost=0.3 * no, variant="ab"[no % 2])]
    again = [{**row, "timestamp": row["timestamp"].replace(hour=18)} for row in rows[:150:5] if row["timestamp"].hour < 18]
    pq.write_table(log(rows[:120] + again), root / "logs" / "a.parquet")
    (root / "logs" / "b.jsonl").write_text(
        "".join(
            json.dumps({**row, "timestamp": row["timestamp"].isoformat(), "stage_ms": dict(row["stage_ms"])}) + "\n"
            for row in rows[120:]
        )
        + json.dumps({"query_id": "q1", "timestamp": "2026-03-01T00:00:00Z"})
        + "\n"
    )
    pq.write_table(labels(), root / "labels.parquet")
    ingest(root / "logs", store=root / "store", max_rejects=0.05)
    return root


@pytest.mark.parametrize("period", PERIODS, ids=["from", "to", "between", "zone"])
def test_a_period_of_a_store_is_that_of_its_logs(folder, period):
    """Same JSON of drift and compare from logs and from the store, and fewer recalls than the whole."""
    both = [
        recallwatch.drift(folder / name, folder / "labels.parquet", threads=1, max_rejects=0.05, **period).to_dict()
        for name in ("logs", "store")
    ]
    assert json.dumps(both[0]) == json.dumps(both[1])
    cut = {name: value for name, value in period.items() if name in ("start", "end")}
    arms = [
        recallwatch.compare(folder / name, folder / "labels.parquet", a="a", b="b", threads=1, max_rejects=0.05, **cut).to_dict()
        for name in ("logs", "store")
    ]
    assert json.dumps(arms[0]) == json.dumps(arms[1])
    counts = [
        recallwatch.evaluate(**given, labels=folder / "labels.parquet", threads=1, max_rejects=0.05, **cut).counts
        for given in ({"logs": folder / "logs"}, {"store": folder / "store"})
    ]
    assert counts[0] == counts[1]
    assert counts[0]["events"] == arms[0]["a"]["events"] + arms[0]["b"]["events"]


def test_a_period_without_events_is_refused_alike(folder):
    """Whatever is asked, of logs and of a store: no event in the period, with the times there are."""
    for name in ("logs", "store"):
        for ask in (recallwatch.drift, recallwatch.lift):
            with pytest.raises(InputError, match="no events in the period"):
                ask(folder / name, folder / "labels.parquet", start="2027-01-01")
