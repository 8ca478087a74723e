"""Nights as teams have them: clocks that are wrong, half days, gaps, weekends; one log holds many of them."""

import datetime as dt
import random

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.errors import UsageError

START = dt.datetime(2026, 11, 2, tzinfo=dt.UTC)  # a Monday
QUERIES = 40
STAGES = pa.map_(pa.string(), pa.float64())


class Service:
    """A seeded service: 40 queries that always get the same lists, times around 50 ms."""

    def __init__(self):
        self.random = random.Random(1)

    def recall(self, day, second, query=None, **other):
        """One recall, so many seconds into a day."""
        q = self.random.randrange(QUERIES) if query is None else query
        row = {
            "event_id": f"{day}-{second:.4f}",
            "timestamp": START + dt.timedelta(days=day, seconds=second),
            "query_id": f"q{q}",
            "query_class": "ab"[q % 2],
            "ranked_ids": [f"d{q}_{j}" for j in range(3)] + [f"n{q}_{j}" for j in range(7)],
            "total_ms": 50 * self.random.lognormvariate(0, 0.3),
            "status": "ok",
        }
        return row | other

    def day(self, no, n=300, first=0, last=24, **other):
        """Recalls of a day between two hours."""
        seconds = sorted(self.random.uniform(first * 3600, last * 3600) for _ in range(n))
        return [self.recall(no, second, **other) for second in seconds]


def labels(queries=QUERIES):
    rows = [(f"q{q}", f"{kind}{q}_{j}", int(kind == "d")) for q in range(queries) for kind in "dn" for j in range(3)]
    return pa.table(dict(zip(("query_id", "document_id", "grade"), map(list, zip(*rows, strict=True)), strict=True)))


def judge(rows, *, queries=QUERIES, **options):
    stages = [pa.array([list(row.pop("stage_ms").items()) for row in rows], STAGES)] if "stage_ms" in rows[0] else []
    table = pa.Table.from_pylist(rows)
    for column in stages:
        table = table.append_column("stage_ms", column)
    return recallwatch.drift(table, labels(queries), window="day", threads=1, **options)


def failed(result):
    return {family for family, verdict in result.verdicts().items() if verdict == "fail"}


def finding(result, test, **about):
    return next(
        f for f in result.findings if f.measured.test == test and all(getattr(f.measured, k) == v for k, v in about.items())
    )


def test_odd_windows_neither_judge_nor_are_judged_and_all_of_them_are_told():
    """A recall 600 days back or 5 days ahead, a first day from 18:00, a day without recalls, one with next to none: told, and no verdict rests on them."""
    service = Service()
    broken = [row | {"ranked_ids": row["ranked_ids"][3:]} for row in service.day(8)]
    days = [*service.day(0, 90, first=18), *(row for n in (1, 2, 3, 4, 6) for row in service.day(n)), *service.day(7, 9), *broken]
    rows = [service.recall(-600, 43200), *days, *service.day(9), service.recall(14, 86340)]
    result = judge(rows, series=True)
    told = {window.current["from"][:10]: window for window in result.windows}
    assert {day: window.verdict for day, window in told.items()} == {
        **dict.fromkeys(("2026-11-04", "2026-11-05", "2026-11-06", "2026-11-08"), "ok"),
        "2026-11-09": "insufficient",
        "2026-11-10": "fail",
        "2026-11-11": "ok",
    }
    assert failed(told["2026-11-10"]) == {"quality"}
    assert told["2026-11-09"].headline == "Too little data to judge the window of 2026-11-09T00:00:00Z: 9 recalls, 300 are usual."
    assert told["2026-11-11"].reference["events"] == 5 * 300
    assert result.headline.endswith(" 1 of 7 windows failed: 2026-11-10T00:00:00Z.")
    assert [note.partition(":")[0] for note in result.notes] == [
        "1 recall far before the others, at 2025-03-12T00",
        "1 recall far after the others, at 2026-11-16T00",
        "no recalls from 2026-11-07T00",
        "the first window 2026-11-02T00",
    ]


def test_two_days_are_treated_as_ten_and_a_part_is_compared_with_the_same_part():
    """A second day of one recall is incomplete; asked for all the same, it is compared with the same hours of the first."""
    service = Service()
    first = service.day(0)
    with pytest.raises(UsageError, match="incomplete: its last recall is"):
        judge([*first, service.recall(1, 0)])
    part = judge([*first, *service.day(1, 110, last=9)], incomplete=True)
    assert finding(part, "volume").verdict == "ok"
    assert (part.reference["to"], part.current["to"]) == ("2026-11-02T09:00:00Z", "2026-11-03T09:00:00Z")
    assert 80 < part.reference["events"] < 150


def test_a_weekend_is_compared_with_weekends():
    """30 % of a working day's traffic on weekends is no finding, from the first weekend on; half of a usual weekend's is."""
    service = Service()
    sizes = [120, 120, 120, 40, 40, 120, 120, 120, 120, 120, 15]  # from Wednesday on
    result = judge([row for n, size in enumerate(sizes, 2) for row in service.day(n, size)], series=True)
    volume = [finding(window, "volume") for window in result.windows]
    assert [f.verdict for f in volume] == ["ok", "ok", "insufficient", *["ok"] * 6, "fail"]
    assert volume[2].reason == "too little data: the reference has no day of the weekend"


def test_each_broken_field_is_a_finding_of_its_own():
    """Null classes, a stage that is gone, zero times that end, seconds for milliseconds, ten errors of 200: none is lost, none called an improvement."""
    service = Service()

    def stages(is_first):
        zero = service.random.random() < (0.7 if is_first else 0.0)
        return {"search": 0.0 if zero else 15.0} | ({"rank": 9.0} if is_first else {})

    days = [row | {"stage_ms": stages(row["timestamp"].day == START.day)} for no in (0, 1) for row in service.day(no, 500)]
    for i, row in enumerate(days[500:]):
        row.update(total_ms=row["total_ms"] / 1000, query_class=None if i % 20 else "a")
        row.update({"status": "error", "ranked_ids": []} if i % 50 == 7 else {})
    result = judge(days)
    assert finding(result, "class_null").verdict == "fail"
    assert finding(result, "class_mix").verdict == "fail"
    assert finding(result, "class_mix").measured.where[0]["segment"] == {"query_class": None}
    assert finding(result, "stage").verdict == "fail"
    search = finding(result, "latency", stage="search", quantile=0.5)
    assert (search.verdict, round(search.measured.current)) == ("fail", 15)
    assert search.measured.reference < 1
    total = finding(result, "latency", stage="total", quantile=0.5)
    assert total.verdict == "fail"
    assert "did the unit change" in total.reason
    assert "did the unit change" not in search.reason
    assert finding(result, "errors").verdict in ("warn", "fail")
    assert "provisional" in total.reason
    assert total.to_row()["se"] == total.measured.se


@pytest.mark.parametrize(("odd", "verdict"), [(0.75, "fail"), (0.5, "ok")])
def test_other_traffic_is_named_beside_days_that_hardly_differ(odd, verdict):
    """Half the recalls are of each class on fourteen days, within what chance does; then three of four are of one: PSI .27 among ones of .001."""
    service = Service()
    rows = [row for no in range(14) for row in service.day(no)]
    draws = [2 * service.random.randrange(QUERIES // 2) + (service.random.random() < odd) for _ in range(300)]
    rows += [service.recall(14, 280.0 * i, query) for i, query in enumerate(draws)]
    mix = finding(judge(rows, reference="2026-11-02..2026-11-16", current="2026-11-16..2026-11-17"), "class_mix")
    assert mix.verdict == verdict, mix.reason


def test_a_head_query_that_is_lost_is_named():
    """One query of 200 with 30 % of the recalls turns wrong: paired by query nothing happened, by traffic 30 points are gone."""
    service = Service()
    rows = []
    for day in (0, 1):
        for i in range(1500):
            is_head = i % 10 < 3
            wrong = {"ranked_ids": [f"n0_{j}" for j in range(10)]} if day and is_head else {}
            rows.append(service.recall(day, 57.0 * i, 0 if is_head else 1 + i % 199, **wrong))
    result = judge(rows, queries=200)
    assert (finding(result, "quality").verdict, finding(result, "quality_traffic").verdict) == ("ok", "fail")
    assert finding(result, "quality_traffic").measured.effect == pytest.approx(-0.3, abs=0.01)
    assert "recall@10 (by traffic, same queries) 1.000 → 0.700 (-30.0 points); query q0, 30 % of the recalls" in result.headline


def test_lists_that_are_cut_off_are_no_lost_quality():
    """The same lists of which the second day logs five: the lists are shorter, and what ranks below cannot be told."""
    service = Service()
    rows = [
        row | {"ranked_ids": [*row["ranked_ids"][3:8], *row["ranked_ids"][:3]]} for no in (0, 1) for row in service.day(no, 200)
    ]
    result = judge([row if row["timestamp"].day == START.day else row | {"ranked_ids": row["ranked_ids"][:5]} for row in rows])
    assert failed(result) == {"health"}
    assert finding(result, "list_depth").reason == "lists are shorter (8 → 5)"
    assert result.verdicts()["quality"] == result.verdicts()["answers"] == "insufficient"


def test_equal_times_and_onsets_of_two_families():
    """A clock of whole milliseconds: a median between 4 and 5 moves with their shares. Each family is told with the window it began in."""
    service = Service()

    def day(no, fours, *, slow=1, wrong=False):
        rows = [service.recall(no, 210.0 * i, total_ms=slow * (4.0 if i * 37 % 400 < fours else 5.0)) for i in range(400)]
        return [row | {"ranked_ids": row["ranked_ids"][3:]} for row in rows] if wrong else rows

    clean = [row for no in range(9) for row in day(no, 197 if no == 8 else 202 + no)]
    broken = [*day(9, 203, wrong=True), *day(10, 203, slow=2, wrong=True)]
    result = judge([*clean, *broken], series=True)
    speed = finding(result.windows[7], "latency", quantile=0.5)
    assert speed.verdict == "ok"
    assert speed.measured.reference == pytest.approx(4.5, abs=0.05)
    assert result.windows[-1].headline.startswith("Since 2026-11-12T00:00:00Z: recall@10 (same queries) 1.000 → ")
    assert ", … (since 2026-11-11T00:00:00Z); " in result.headline
    assert "; total p95 " in result.headline
