"""Windows: half-open, in a named zone, with days of 23 and 25 hours."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from recallwatch.base.errors import UsageError
from recallwatch.monitor import windows

UTC, BERLIN, DELHI = ZoneInfo("UTC"), ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")


def test_a_bare_date_is_its_midnight_in_the_zone():
    """2026-03-02 in Berlin begins at 23:00 UTC the day before; an offset wins over the zone."""
    assert windows.moment("2026-03-02", BERLIN, where="x") == dt.datetime(2026, 3, 1, 23, tzinfo=dt.UTC)
    assert windows.moment("2026-03-02T00:00+00:00", BERLIN, where="x") == dt.datetime(2026, 3, 2, tzinfo=dt.UTC)


def test_a_window_ends_before_the_moment_that_is_named():
    """A..B is A <= t < B: the days of 1..3 are the first and the second."""
    _, current = windows.pair("2026-03-01..2026-03-03", "2026-03-03..2026-03-04", UTC)
    assert [d.start.day for d in current.days] == [3]


@pytest.mark.parametrize(("date", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)])
def test_days_of_the_clock_change_have_23_and_25_hours(date, hours):
    """A local day is as long as the zone makes it."""
    start = windows.moment(date, BERLIN, where="x")
    day = windows.days_of(start, start + dt.timedelta(hours=hours), BERLIN, 0)
    assert len(day) == 1
    assert (day[0].end - day[0].start) == dt.timedelta(hours=hours)


def test_half_hour_zones_keep_their_midnight():
    """Midnight in Delhi is 18:30 UTC."""
    (day,) = windows.days_of(
        windows.moment("2026-03-02", DELHI, where="x"), windows.moment("2026-03-03", DELHI, where="x"), DELHI, 0
    )
    assert (day.start.hour, day.start.minute) == (18, 30)


def test_a_long_reference_is_cut_into_windows_as_long_as_the_current_one():
    """Nine days against two are four windows: the oldest takes what is left over."""
    refs, current = windows.pair("2026-03-01..2026-03-10", "2026-03-10..2026-03-12", UTC)
    assert [len(unit.days) for unit in refs] == [3, 2, 2, 2]
    assert len(current.days) == 2
    assert [n for unit in [*refs, current] for n in unit.numbers] == list(range(11))


def test_touching_windows_do_not_overlap():
    """Half-open windows may share a moment."""
    windows.pair("2026-03-01..2026-03-02", "2026-03-02..2026-03-03", UTC)
    with pytest.raises(UsageError, match="overlap"):
        windows.pair("2026-03-01..2026-03-02T01:00", "2026-03-02..2026-03-03", UTC)


def test_weeks_begin_on_monday():
    """Every week of the log, whole, from the Monday before its first event."""
    found = windows.units_of(dt.datetime(2026, 3, 4, tzinfo=dt.UTC), dt.datetime(2026, 3, 10, tzinfo=dt.UTC), "week", UTC)
    assert [unit.start.date() for unit in found] == [dt.date(2026, 3, 2), dt.date(2026, 3, 9)]
    assert found[-1].end.date() == dt.date(2026, 3, 16)
