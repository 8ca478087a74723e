"""The default reference, the newest window, and change points."""

import pyarrow as pa
import pytest

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.monitor import series
from recallwatch.monitor.decomposition import decompose

from . import world


def small(no, **change):
    return world.day(no, per_hour=12, queries=40, hours=range(0, 24, 2), **change)


def test_without_named_windows_the_newest_stands_against_those_before():
    """`window=day` compares the last day with the accepted days before it."""
    result = recallwatch.drift(
        world.log(*(small(n) for n in range(4)), small(4, lost=0.5)), world.labels(40), window="day", threads=1
    )
    assert result.current["from"] == "2026-03-06T00:00:00Z"
    assert result.reference["days"] == 4
    assert result.verdicts()["quality"] == "fail"


def test_the_sentence_names_the_window_judged_and_those_that_failed():
    """Nothing moved in the newest window says so of that window; the series counts and names those that failed."""
    table = world.log(*(small(n, lost=0.6 if n in (2, 3) else None) for n in range(6)))
    told = recallwatch.drift(table, world.labels(40), window="day", series=True, threads=1)
    assert told.headline.startswith(
        "Nothing moved that matters between 2026-03-02T00:00:00Z and 2026-03-07T00:00:00Z, the window judged."
    )
    assert told.headline.endswith(" 2 of 5 windows failed: 2026-03-04T00:00:00Z, 2026-03-05T00:00:00Z.")
    assert [window.verdict for window in told.windows].count("fail") == 2
    newest = recallwatch.drift(table, world.labels(40), window="day", threads=1)
    assert newest.headline == told.windows[-1].headline
    assert newest.notes[-1].startswith("2 of 4 earlier windows failed: 2026-03-04T00:00:00Z")
    assert newest.to_dict()["notes"] == list(newest.notes)


def test_nights_that_differ_are_their_own_measure():
    """Recall goes up and down by 5 to 9 points: a first loss warns and counts as reference, and from three windows on their spread stands in."""
    gone = (0.27, 0.34, 0.26, 0.33, 0.38, 0.27, 0.36, 0.25, 0.37, 0.31)
    table = world.log(*(small(n, lost=share) for n, share in enumerate(gone)))
    told = recallwatch.drift(table, world.labels(40), window="day", series=True, threads=1)
    assert "fail" not in [window.verdicts()["quality"] for window in told.windows]
    first = next(finding for finding in told.windows[0].findings if finding.measured.test == "quality")
    assert first.verdict == "warn"
    assert first.reason.endswith("; 1 window before it cannot show how much windows differ")
    later = [next(f for f in window.findings if f.measured.test == "quality").measured for window in told.windows[2:]]
    assert [(test.blocks, test.df) for test in later[:3]] == [("days", 2), ("days", 3), ("days", 4)]


def test_unchanged_is_said_of_families_that_were_tested():
    """Queries that the reference never saw: quality and mix lack data and are named so, only the others are unchanged."""
    days = [world.day(n, per_hour=12, queries=40, unlabelled=0.0, prefix="n" if n == 3 else "q") for n in range(4)]
    labels = pa.concat_tables([world.labels(40), world.labels(40).set_column(0, "query_id", [[f"n{i // 8}" for i in range(320)]])])
    told = recallwatch.drift(world.log(*days), labels, window="day", threads=1)
    assert "quality: too little data (0 labelled queries in both windows, 20 are needed)" in told.headline
    unchanged = next(part for part in told.headline.split("; ") if part.endswith(" unchanged"))
    assert "quality" not in unchanged
    assert "→ 100 %" in told.headline


def test_an_incomplete_newest_window_is_refused_unless_asked_for():
    """A day that stops at noon while the others run till evening is not judged by default."""
    table = world.log(*(small(n) for n in range(3)), world.day(3, per_hour=12, queries=40, hours=range(0, 12, 2)))
    with pytest.raises(UsageError, match="incomplete"):
        recallwatch.drift(table, world.labels(40), window="day", threads=1)
    assert (
        recallwatch.drift(table, world.labels(40), window="day", incomplete=True, threads=1).current["from"]
        == "2026-03-05T00:00:00Z"
    )
    left_out = recallwatch.drift(table, world.labels(40), window="day", series=True, threads=1)
    assert left_out.current["from"] == "2026-03-04T00:00:00Z"
    assert "left out" in left_out.notes[0]


def test_thirty_windows_give_change_points():
    """From 30 windows on a lasting loss is a change point at its first day; under 30 there are none."""
    days = [world.day(n, per_hour=10, queries=30, hours=range(0, 24, 3), lost=0.6 if n >= 20 else 0.0) for n in range(31)]
    result = recallwatch.drift(world.log(*days), world.labels(30), window="day", series=True, threads=1)
    recall = [point for point in result.change_points if point["metric"] == "recall@10"]
    assert [point["at"] for point in recall] == ["2026-03-22T00:00:00Z"]
    assert recall[0]["after"] < recall[0]["before"]
    short = recallwatch.drift(world.log(*days[16:24]), world.labels(30), window="day", series=True, threads=1)
    assert short.change_points == ()


def test_a_verdict_depends_on_no_other_window():
    """Later days with a tenant, a class and a stage of their own change no byte of what was said of the days before."""
    days = [small(n, lost=0.5 if n == 2 else None) for n in range(4)]
    other = {"tenant_id": "aaa", "query_class": "compare", "stage_ms": [("again", 3.0), ("embed", 5.0)], "variant": "a"}
    odd = [[{**row, **other} for row in small(n)] for n in range(4, 10)]
    told = [
        recallwatch.drift(world.log(*some), world.labels(40), window="day", series=True, threads=1).to_dict()["windows"]
        for some in (days, [*days, *odd])
    ]
    assert told[1][: len(told[0])] == told[0]
    assert {window["verdict"] for window in told[0]} > {"fail"}


def test_one_named_window_is_half_a_question():
    """Reference and current come together or not at all."""
    with pytest.raises(UsageError, match="the other is not"):
        recallwatch.drift(world.log(small(0)), world.labels(40), reference=world.DAY1)


def test_a_log_without_times_has_no_windows():
    """Benchmark runs carry no timestamp: refused with the count."""
    bare = world.log(small(0)).drop_columns(["timestamp"])
    with pytest.raises(InputError, match="no timestamp"):
        recallwatch.drift(bare, world.labels(40), window="day")


def test_an_unknown_zone_or_option_is_refused():
    """Typing mistakes are told with the words that exist."""
    with pytest.raises(UsageError, match="unknown time zone"):
        recallwatch.drift(world.log(small(0)), world.labels(40), window="day", timezone="Mars/Olympus")
    with pytest.raises(UsageError, match="levle_quality"):
        recallwatch.drift(world.log(small(0)), world.labels(40), window="day", levle_quality=0.1)


@pytest.mark.parametrize("given", [["2026-03-02"], [("2026-03-02", "quality")], ["2026-03-02T00:00:00Z"]])
def test_accepted_windows_are_read_as_dates_or_times(given):
    """A window is named by its start; a family narrows it."""
    from zoneinfo import ZoneInfo

    ((start, _family),) = series.accepted_of(given, ZoneInfo("UTC"))
    assert start == world.START


def test_parts_of_a_change_sum_to_it():
    """total = class mix + query mix + within + entry and exit, to 1e-12, whatever moved."""
    result = recallwatch.drift(
        world.log(world.day(0, queries=50), world.day(1, queries=60, lost=0.4, weights={"howto": 3.0})),
        world.labels(),
        reference=world.DAY1,
        current=world.DAY2,
        threads=1,
    )
    for row in result.decomposition:
        assert abs(row["total"] - sum(row[part] for part in ("class_mix", "query_mix", "within", "entry_exit"))) < 1e-12
        assert row["within"] < 0
        assert row["entry_exit"] != 0
    assert decompose.__doc__
