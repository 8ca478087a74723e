"""What a store holds is what the logs said: for any order, split and number of deliveries, by night, by label version."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from store_logs import events, label_rows, write

import recallwatch
from recallwatch.base.errors import InputError, UsageError
from recallwatch.store import attach, cache, ingest
from recallwatch.store.sql_query import ask

ASKED: dict[str, Any] = {"by": "tenant_id", "window": "day", "per_query": True, "k": "1,5"}


def text_of(store: Path, labels: Path | None, **options: Any) -> str:
    """The JSON of an evaluation of a store."""
    return json.dumps(recallwatch.evaluate(store=store, labels=labels, **{**ASKED, **options}).to_dict())


def deliveries(n: int = 300) -> list[dict[str, Any]]:
    """Events, and a tenth of them delivered again: half of these with another content."""
    rows = events(n)
    again = [dict(row) for row in random.Random(3).sample(rows, n // 10)]
    for number, row in enumerate(again):
        if number % 2:
            row["total_ms"] = 7.5 * number
    return rows + again


LEVELS = (
    "select distinct window_start from latency_levels where isfinite(window_start)"  # windows whose times are summed in a read-out
)


@pytest.mark.parametrize(("seed", "files", "runs"), [(1, 1, 1), (2, 9, 1), (3, 7, 3)])
def test_any_order_and_split_with_duplicates(tmp_path: Path, labels: Path, seed: int, files: int, runs: int) -> None:
    """The same deliveries in any order, over any files, in any number of runs: identical JSON, that of one file."""
    one = write(deliveries(), tmp_path / "one.jsonl")
    ingest([one], store=tmp_path / "expected")
    rows = random.Random(seed).sample(deliveries(), len(deliveries()))
    parts = [write(rows[number::files], tmp_path / "parts" / f"{number}.jsonl") for number in range(files)]
    for run in range(runs):
        ingest(parts[run::runs], store=tmp_path / "split")
    found = text_of(tmp_path / "split", labels)
    assert found == text_of(tmp_path / "expected", labels)
    assert json.loads(found)["counts"]["duplicate_events"] == 30


def test_equals_the_one_shot_run(tmp_path: Path, labels: Path) -> None:
    """Every number of a store is that of evaluating the logs themselves, whatever windows, slices and period are asked for."""
    log = write(deliveries(), tmp_path / "log.jsonl")
    ingest([log], store=tmp_path / "store")
    asks = (
        {},
        ASKED,
        {"window": "hour", "timezone": "Asia/Kolkata"},
        {"start": "2026-03-02T05:00:00Z"},
        {"f1": "of_means", "metrics": "f1"},
        {"by": ("query_class",)},
        {"by": ("query_class",), "window": "day"},  # from here on windows that the ask before read out and kept
        {"missing": "zero", "by": ("query_class",)},
        {"missing": "zero", "by": ("query_class",), "window": "day"},
        {"f1": "of_means", "metrics": "f1", "window": "day"},
        {"window": "week", "by": ("query_class",)},
        *({"window": "day", "timezone": zone, "by": ("query_class",)} for zone in ("Asia/Kathmandu", "America/New_York") * 2),
    )
    for asked in asks:
        one, stored = (
            recallwatch.evaluate(log, labels, **asked).to_dict(),
            recallwatch.evaluate(store=tmp_path / "store", labels=labels, **asked).to_dict(),
        )
        for part in ("counts", "metrics", "latency", "cost", "coverage", "answered", "warnings", "state_key"):
            assert stored[part] == one[part], (asked, part)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_windows_of_days_are_read_out_once(tmp_path: Path, labels: Path, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days worked on one by one, as large ones are: the numbers of the logs, and once they are kept no window of a day is summed again."""
    monkeypatch.setattr(cache, "CHUNK", 1)
    log, asked = write(deliveries(), tmp_path / "log.jsonl"), {"window": "day", "timezone": zone, "by": ("query_class",)}
    ingest([log], store=tmp_path / "store")
    one = recallwatch.evaluate(log, labels, **asked).to_dict()
    for _ in range(2):
        summed: list[Any] = []
        given = {
            "store": tmp_path / "store",
            "labels": labels,
            "then": lambda engine, summed=summed: summed.extend(engine.run(LEVELS)),
        }
        stored = recallwatch.evaluate(**given, **asked).to_dict()
        assert (stored["metrics"], stored["latency"]) == (one["metrics"], one["latency"])
        assert summed == []


def test_unchanged_sources_are_skipped(tmp_path: Path) -> None:
    """A touched file is told by its hash, a grown one replaces its part, a vanished one stays unless it is to be forgotten."""
    log, other = write(events(40), tmp_path / "a.jsonl"), write(events(20, seed=5), tmp_path / "b.jsonl")
    store = tmp_path / "store"
    assert len(ingest([log, other], store=store).new) == 2
    assert len(ingest([log, other], store=store).unchanged) == 2
    for name, content in (("none.jsonl", b""), ("blank.jsonl", b"\n\n"), ("none.jsonl.gz", gzip.compress(b""))):
        (tmp_path / name).write_bytes(content)
        done = ingest([log, tmp_path / name], store=store)
        assert (done.empty, done.unchanged, done.failed) == ([str(tmp_path / name)], [str(log)], {})
    log.touch()
    assert ingest([log], store=store).unchanged == [str(log)]
    write(events(60), log)
    assert ingest([log], store=store).changed == [str(log)]
    other.unlink()
    assert ingest([log], store=store).vanished == [str(other)]
    assert ask(store, "select count(*) from sources").column(0).to_pylist() == [2]
    assert ingest([log], store=store, forget=True).forgotten == [str(other)]
    assert ask(store, "select count(*) from events").column(0).to_pylist() == [60]


def test_a_duplicate_counts_once_after_its_twin_is_forgotten(tmp_path: Path, labels: Path) -> None:
    """The same events in two files count once; without either file they still count once."""
    first, second = write(events(50), tmp_path / "a.jsonl"), write(events(50)[::-1], tmp_path / "b.jsonl")
    ingest([first], store=tmp_path / "single")
    ingest([second, first], store=tmp_path / "store")
    both = json.loads(text_of(tmp_path / "store", labels))
    assert both["counts"]["duplicate_events"] == 50
    first.unlink()
    ingest([second], store=tmp_path / "store", forget=True)
    left, single = json.loads(text_of(tmp_path / "store", labels)), json.loads(text_of(tmp_path / "single", labels))
    assert left["counts"]["duplicate_events"] == 0
    assert left["metrics"] == single["metrics"] == both["metrics"]


def test_late_events_change_their_day_only(tmp_path: Path, labels: Path) -> None:
    """An event that arrives nights later counts on its own day; sums of other days are not made again."""
    rows = sorted(events(200), key=lambda row: row["timestamp"])
    store = tmp_path / "store"
    ingest([write(rows[1:150], tmp_path / "a.jsonl")], store=store)
    text_of(store, labels)
    before = {path.name: path.stat().st_mtime_ns for path in (store / "aggregates").glob("2026-03-02-*.parquet")}
    ingest([write([rows[0], *rows[150:]], tmp_path / "b.jsonl")], store=store)
    text_of(store, labels)
    ingest([write(rows, tmp_path / "all.jsonl")], store=tmp_path / "whole")
    assert text_of(store, None) == text_of(tmp_path / "whole", labels).replace('"labels": "JSON lines"', '"labels": "store"')
    days = {row["timestamp"][:10] for row in [rows[0], *rows[150:]]}
    if "2026-03-02" not in days:
        assert before.items() <= {path.name: path.stat().st_mtime_ns for path in (store / "aggregates").glob("*.parquet")}.items()


def test_new_labels_need_no_logs(tmp_path: Path, labels: Path) -> None:
    """With the logs gone, new labels give what an evaluation of the logs gave, and both versions stand side by side."""
    log = write(events(150), tmp_path / "log.jsonl")
    new = write(label_rows(seed=9), tmp_path / "new.jsonl")
    old_result, new_result = (recallwatch.evaluate(log, given) for given in (labels, new))
    ingest([log], store=tmp_path / "store")
    recallwatch.evaluate(store=tmp_path / "store", labels=labels)
    log.unlink()
    found = recallwatch.evaluate(store=tmp_path / "store", labels=new).to_dict()
    assert found["metrics"] == new_result.to_dict()["metrics"]
    old = {(row["metric"], row["k"]): row["value"] for row in old_result.to_dict()["metrics"]}
    assert {(row["metric"], row["k"]): row["old_value"] for row in found["relabelled"]["metrics"]} == old
    assert all(row["difference"] == row["new_value"] - row["old_value"] for row in found["relabelled"]["metrics"])
    assert "relabelled" not in recallwatch.evaluate(store=tmp_path / "store").to_dict()


def test_events_without_a_timestamp(tmp_path: Path, labels: Path) -> None:
    """A benchmark log has no times: it is scored as a whole, and windows are refused with the count."""
    rows = [{name: value for name, value in row.items() if name != "timestamp"} for row in events(50)]
    log = write(rows, tmp_path / "log.jsonl")
    result = recallwatch.evaluate([log], labels, store=tmp_path / "store").to_dict()
    assert result["metrics"] == recallwatch.evaluate(log, labels).to_dict()["metrics"]
    with pytest.raises(InputError, match="50 of 50 events have no timestamp"):
        recallwatch.evaluate(store=tmp_path / "store", window="day")
    assert ask(tmp_path / "store", "select count(*) from metrics").column(0).to_pylist()[0] > 0


def test_bad_lines_and_a_half_written_tail(tmp_path: Path, labels: Path) -> None:
    """Rejects are kept with their place; a growing log's unfinished line is read when it is whole."""
    rows = events(40)
    lines = [json.dumps(row) for row in rows]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*lines[:20], "INFO start", *lines[20:39]]) + "\n" + lines[39][:30])
    ingest([log], store=tmp_path / "store", max_rejects=0.1)
    counts = recallwatch.evaluate(store=tmp_path / "store", labels=labels).to_dict()["counts"]
    assert (counts["events"], counts["rejected_lines"], counts["incomplete_tail"]) == (39, 1, 1)
    assert ask(tmp_path / "store", "select source_line from rejects order by all").column(0).to_pylist() == [21, 41]
    log.write_text("\n".join(lines) + "\n")
    ingest([log], store=tmp_path / "store")
    assert recallwatch.evaluate(store=tmp_path / "store").to_dict()["counts"]["events"] == 40


def test_a_table_of_no_bytes(tmp_path: Path) -> None:
    """An empty .parquet is cut short, and named as in an evaluation; an empty text is a log that nothing was written to yet."""
    for name in ("a.parquet", "b.jsonl"):
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file, or cut short"):
        ingest([tmp_path / "a.parquet", tmp_path / "b.jsonl"], store=tmp_path / "store")
    assert ingest([tmp_path / "b.jsonl"], store=tmp_path / "store").n_events == 0


def test_moved_with_its_folder(tmp_path: Path) -> None:
    """After a move the numbers are still there; recall.duckdb says what to do, and attach makes it right."""
    ingest([write(events(30), tmp_path / "log.jsonl")], store=tmp_path / "store")
    (tmp_path / "store").rename(tmp_path / "moved")
    with pytest.raises(UsageError, match="recallwatch attach"):
        ask(tmp_path / "moved", "select count(*) from events")
    attach(tmp_path / "moved")
    assert ask(tmp_path / "moved", "select count(*) from events").column(0).to_pylist() == [30]


def test_every_column_has_a_comment(tmp_path: Path) -> None:
    """Each column of each relation in recall.duckdb says what it is."""
    ingest([write(events(30), tmp_path / "log.jsonl")], store=tmp_path / "store")
    query = "select table_name, column_name from duckdb_columns() where database_name = 'recall' and schema_name = 'main' and comment is null"
    assert ask(tmp_path / "store", query).to_pylist() == []


def test_cranfield_night_by_night(tmp_path: Path, shared_data: Path) -> None:
    """Nightly files ingested one a run: the metrics equal a one-shot evaluation of the nights so far, looked at after four of them."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    folder = shared_data / "cranfield_runs"
    table = pq.read_table(folder / "nightly.parquet")
    nights = sorted(set(table["run_id"].to_pylist()))
    assert len(nights) > 2
    for number, night in enumerate(nights):
        pq.write_table(table.filter(pc.equal(table["run_id"], night)), tmp_path / f"{number:02}.parquet")
        logs = [tmp_path / f"{n:02}.parquet" for n in range(number + 1)]
        asked: dict[str, Any] = {"metrics": ("recall@10", "mrr", "ndcg@10")}
        stored = recallwatch.evaluate([logs[-1]], folder / "labels.jsonl", store=tmp_path / "store", **asked).to_dict()
        if number in {0, 1, 4, len(nights) - 1}:
            one = recallwatch.evaluate(logs, folder / "labels.jsonl", **asked).to_dict()
            for part in ("counts", "metrics", "latency", "cost", "coverage"):
                assert stored[part] == one[part], (night, part)
