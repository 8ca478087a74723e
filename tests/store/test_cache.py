"""Sums of several days on their way into a file for each."""

from __future__ import annotations

from pathlib import Path

from recallwatch.base.engine import Engine, quoted_paths
from recallwatch.store.cache import Cache
from recallwatch.store.layout import open_store

DAYS = ["2026-01-01", "2026-01-02", "none"]


class Dated:
    """Three days, the last of which has no rows."""

    days = dict.fromkeys(DAYS)

    def inputs(self, day: str) -> str:
        """What its sums are made of."""
        return f"inputs-of-{day}"

    def n_events(self, day: str) -> int:
        """Of one day."""
        return len(day)


def test_one_pass_gives_each_day_a_file(tmp_path: Path) -> None:
    """A day's rows stand in its own file, however many threads wrote; one without rows has a file too, which reading needs; nothing else is left."""
    store = open_store(tmp_path / "store", create=True)
    with Engine(threads=2) as engine:
        cache = Cache(engine, store, "sums", is_writer=True)
        engine.run(f"create table sums as select ({DAYS!r})[1 + n % 2] as rw_day, n from range(400_000) as t(n)")
        cache.put_days(engine, DAYS, Dated(), "from sums")
        cache.save()
        found = [
            engine.run(
                f"select count(*), min(n), max(n), count(distinct n % 2) from read_parquet({quoted_paths(cache.files([day]))})"
            )
            for day in DAYS
        ]
        assert not list(engine.folder.glob("*sums*"))
    assert found == [[(200_000, 0, 399_998, 1)], [(200_000, 1, 399_999, 1)], [(0, None, None, 0)]]
    with Engine() as engine:
        again = Cache(engine, store, "sums", is_writer=False)
        assert again.missing(Dated()) == []
        assert sorted(path.name for path in (tmp_path / "store/aggregates").glob("*.parquet")) == sorted(
            entry["file"] for entry in again.days.values()
        )
