"""A page of a store reads what its nights kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recallwatch.nightly.steps import Timer, gather, report, take_in
from recallwatch.report.night import Night

from .night import config_of, write_world

GIVEN: dict[str, Any] = {"read": {"threads": 2}, "window": "day", "timezone": "UTC", "outputs": {}, "definition": {}}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with four nights behind it, run by class, at two depths and with an option of the definition."""
    folder = tmp_path_factory.mktemp("page")
    write_world(folder, nights=4, queries=12, broken_from=4)
    night(folder)
    return folder


def night(folder: Path) -> Night:
    """What a nightly run finds."""
    chosen: dict[str, Any] = {
        "store": str(folder / "store"),
        "by": ("query_class",),
        "k": (2, 10),
        "definition": {"rel_level": 0.5},
    }
    config = config_of(folder, **chosen)
    take_in(config, Timer())
    return gather(config, Timer())


def test_a_page_sums_nothing_that_a_night_has_summed(store: Path) -> None:
    """Without --by, --k and options of the definition a page is as the nights are, and no day is summed again for it."""
    kept = {path.name for path in (store / "store" / "aggregates").iterdir()}
    page = report([str(store / "store")], [], output="html", by=None, k=None, **GIVEN)
    assert {path.name for path in (store / "store" / "aggregates").iterdir()} == kept
    assert 'id="segments"' in page
    assert "recall@2" in page and "recall@5" not in page
    assert "rel_level" in page


def test_what_is_asked_for_wins(store: Path) -> None:
    """--by and --k given to a page are used, for this page; a look at the whole leaves the store's segments as they were."""
    page = report([str(store / "store")], [], output="html", by=(), k=("1",), **{**GIVEN, "definition": {"rel_level": 1.0}})
    assert 'id="segments"' not in page
    assert "recall@1" in page and "recall@2<" not in page
    again = report([str(store / "store")], [], output="html", by=None, k=None, **GIVEN)
    assert 'id="segments"' in again


def test_days_read_from_what_is_kept_give_the_same_bytes(store: Path) -> None:
    """A run whose days' qualities, percentiles, versions and shares are kept, and one that makes them, find the same to the last digit."""
    kept = night(store)
    for path in (store / "store" / "aggregates").iterdir():
        path.unlink()
    assert night(store).to_dict() == kept.to_dict()
