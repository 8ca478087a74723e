"""One source of midnights: SQL and Python agree on every zone's offsets, dates and windows, whatever its clocks did."""

import datetime as dt
import json
import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import recallwatch
from recallwatch.base.engine import Engine
from recallwatch.base.errors import UsageError
from recallwatch.base.zone import DAY, UTC, changes_of, date_of, dates_between, midnight, zone_of
from recallwatch.scoring.binding import bind
from recallwatch.scoring.plan import plan_of

ODD = [
    "Africa/Casablanca",
    "Africa/Monrovia",
    "America/Havana",
    "America/St_Johns",
    "America/Vancouver",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Pacific/Apia",
]
FIRST, LAST = dt.date(1970, 1, 2), dt.date(2040, 12, 31)


def zones() -> list[str]:
    """Those whose clocks do what others never do; RECALLWATCH_ALL_ZONES: every zone the engine knows."""
    if "RECALLWATCH_ALL_ZONES" not in os.environ:
        return ODD
    engine = Engine()
    try:
        return [name for (name,) in engine.run("select name from pg_timezone_names() order by name") if name != "UTC"]
    finally:
        engine.close()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """One for all zones."""
    opened = Engine(threads=1)
    yield opened
    opened.close()


def moments_of(zone: str) -> list[dt.datetime]:
    """Moments of 1970 to 2040: some by chance, and around each change of the clocks and the midnights beside it."""
    rng, start = random.Random(zone), dt.datetime(1970, 1, 3, tzinfo=dt.UTC)
    found = [start + dt.timedelta(seconds=rng.randrange(70 * 365 * 86400)) for _ in range(500)]
    for at, _ in changes_of(zone)[1:]:
        change = start + dt.timedelta(seconds=at - round(start.timestamp()))
        if not start + DAY < change < dt.datetime(2040, 12, 1, tzinfo=dt.UTC):
            continue
        near = [change, *(midnight(date_of(change, zone_of(zone)) + i * DAY, zone_of(zone)) for i in (-1, 0, 1))]
        found += [moment + dt.timedelta(seconds=s) for moment in near for s in (-3600, -1800, -1, 0, 1, 59, 1800, 3599, 3600)]
    return found


@pytest.mark.parametrize("zone", zones())
@pytest.mark.parametrize("window", ["day"])
def test_sql_and_python_agree(zone: str, window: str, engine: Engine) -> None:
    """Of every moment: the same offset, the same window, and the window holds the moment."""
    plan = plan_of(window=window, timezone=zone)
    bind(engine, plan.definition, plan.cut)
    moments = moments_of(zone)
    us = [round((moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) / dt.timedelta(microseconds=1)) for moment in moments]
    rows = engine.run(
        "select epoch_us(window_of(m)), (epoch(m at time zone opt_timezone()) - epoch(m))::integer"
        " from (select make_timestamptz(unnest($1::bigint[])) as m)",
        [us],
    )
    info = zone_of(zone)
    for moment, (window_us, offset) in zip(moments, rows, strict=True):
        start = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=window_us)
        assert moment.astimezone(info).utcoffset() == dt.timedelta(seconds=offset), (zone, moment)
        date = date_of(moment, info)
        assert start == midnight(date, info), (zone, moment, date)
        assert start <= moment < midnight(date + DAY, info), (zone, moment, date)


@pytest.mark.parametrize("zone", zones())
def test_every_date_has_its_place(zone: str) -> None:
    """From 1970 to 2040 no date begins before the one before it, and all dates with a length are found between two moments."""
    info = zone_of(zone)
    begins = [midnight(FIRST + i * DAY, info) for i in range((LAST - FIRST).days + 1)]
    assert begins == sorted(begins)
    skipped = sum(this == following for this, following in pairwise(begins))
    if zone in ODD:
        assert len(dates_between(begins[0], begins[-1], info)) == len(begins) - 1 - skipped


def test_a_zone_nobody_knows() -> None:
    """It is named, with what to write instead."""
    with pytest.raises(UsageError, match="unknown time zone 'Mars/Olympus'"):
        zone_of("Mars/Olympus")
    assert zone_of("UTC") is UTC


@pytest.mark.parametrize(
    ("zone", "times"),
    [
        ("Atlantic/Azores", ["2026-10-24T12:00", "2026-10-25T00:30", "2026-10-25T12:00", "2026-10-26T12:00"]),
        ("America/Vancouver", ["2026-11-01T06:30", "2026-11-05T07:30", "2026-11-06T08:30", "2027-03-14T12:00"]),
        ("America/St_Johns", ["2008-11-02T02:30", "2008-11-02T02:45", "2008-11-02T03:15", "2008-11-03T02:00"]),
    ],
)
def test_store_and_log_say_the_same(zone: str, times: list[str], tmp_path: Path) -> None:
    """Days of a zone: a store has every event in the window that a one-shot evaluation has it in."""
    log, labels = tmp_path / "log.jsonl", tmp_path / "labels.jsonl"
    rows = [{"query_id": "q1", "timestamp": f"{time}:00Z", "ranked_ids": ["d1"] * (i % 2)} for i, time in enumerate(times)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels.write_text('{"query_id": "q1", "relevant": ["d1"]}\n')
    options = {"window": "day", "timezone": zone, "metrics": "recall@1"}
    once = recallwatch.evaluate(log, labels, **options).to_dict()["metrics"]
    kept = recallwatch.evaluate(log, labels, store=tmp_path / "store", **options).to_dict()["metrics"]
    assert kept == once
    assert sum(row["n"] for row in once if row["window"]) == len(times)
