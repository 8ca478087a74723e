"""Every kind of bad input has one decided outcome: an error in one line, or a count beside the numbers."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from inputs import GOOD, LABELS, evaluated, jsonl, parquet, value, warned

from recallwatch.base.errors import ExitCode, InputError, RecallwatchError, UsageError


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "labels.jsonl", LABELS)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "log.jsonl", GOOD)


def refused(kind: type[RecallwatchError], logs: Any, given: Any, **options: Any) -> str:
    """The one line an evaluation is refused with."""
    with pytest.raises(kind) as caught:
        evaluated(logs, given, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.exit_code == (ExitCode.USAGE if kind is UsageError else ExitCode.INPUT)
    return text


@pytest.mark.parametrize("k", ["0", "-1", "1.5", "ten", "", "1,,2", [0], [True], [2.5], 0])
def test_wrong_k(k: Any) -> None:
    """k is whole numbers >= 1, checked before any data is read."""
    assert "k must be whole numbers >= 1" in refused(UsageError, "no such file", "none", k=k)


def test_k_is_deduplicated_and_sorted(log: Path, labels: Path) -> None:
    """The same k twice is one column."""
    result = evaluated(log, labels, k="3,1,3", metrics=("recall",))
    assert [row["k"] for row in result["metrics"]] == [1, 3]


def test_unknown_metric(log: Path, labels: Path) -> None:
    """An unknown metric is refused with the nearest name and all names."""
    text = refused(UsageError, log, labels, metrics=("recal",))
    assert "unknown metric 'recal'. Did you mean 'recall'? Known: recall, precision" in text


def test_no_files(tmp_path: Path, labels: Path) -> None:
    """No such file, an empty folder, a glob that meets nothing: named, exit 3."""
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "absent.jsonl", tmp_path / "empty", tmp_path / "*.nothing"):
        assert str(source) in refused(InputError, source, labels)
    assert "no such labels file" in refused(InputError, jsonl(tmp_path / "l.jsonl", GOOD), tmp_path / "absent")


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, log: Path, labels: Path, content: bytes) -> None:
    """An empty file among others is nothing; where there is nothing else it is an error; empty labels are one too."""
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(content)
    assert evaluated([log, empty], labels)["counts"]["events"] == 2
    assert "empty" in refused(InputError, empty, labels)
    assert str(empty) in refused(InputError, log, empty)


def test_no_label_matches(tmp_path: Path, log: Path) -> None:
    """A join that finds nothing is an error with two ids of each side, never zeros."""
    others = jsonl(tmp_path / "others.jsonl", [{"query_id": f"x{i}", "document_id": "a"} for i in range(5)])
    text = refused(InputError, log, others)
    assert "no event matches any label" in text
    assert "['q1', 'q2']" in text
    assert "['x0', 'x1']" in text


def test_conflicting_labels(tmp_path: Path, log: Path) -> None:
    """Labels that contradict each other are refused with both lines; alike rows merge; max, last and drop choose."""
    rows = [{"query_id": "q1", "document_id": "a", "grade": 1}, {"query_id": "q2", "document_id": "b", "grade": 1}]
    assert value(evaluated(log, jsonl(tmp_path / "twice.jsonl", rows + rows)), k=1) == 1
    against = jsonl(tmp_path / "against.jsonl", [*rows, {"query_id": "q1", "document_id": "a", "grade": 0}])
    text = refused(InputError, log, against)
    assert f"{against}:1" in text
    assert f"{against}:3" in text
    assert value(evaluated(log, against, label_conflicts="max"), k=1) == 1
    last = evaluated(log, against, label_conflicts="last")
    assert last["counts"]["queries_without_relevant"] == 1
    earlier = jsonl(tmp_path / "a first.jsonl", [*["\n"] * 9, {"query_id": "q1", "document_id": "a", "grade": 2}])
    assert evaluated(log, [against, earlier], label_conflicts="last")["counts"]["queries_without_relevant"] == 1  # the last file's
    assert evaluated(log, against, label_conflicts="drop")["counts"]["labelled_queries"] == 1
    alone = jsonl(tmp_path / "alone.jsonl", [rows[0], {**rows[0], "grade": 0}])
    text = refused(InputError, log, alone, label_conflicts="drop")
    assert text.startswith(f"{alone}:2: contradicts {alone}:1, and no query is left: 1 of 1 have labels that contradict each other")


def test_missing_column(tmp_path: Path, labels: Path, log: Path) -> None:
    """A log without a result list is refused with what there is and the --map that mends it; so are labels."""
    odd = jsonl(tmp_path / "odd.jsonl", [{"query_id": "q1", "found": [{"id": "a"}]}, {"query_id": "q2", "found": [{"id": "b"}]}])
    text = refused(InputError, odd, labels)
    assert "no column 'ranked_ids' (has: found, query_id" in text
    assert "--map ranked_ids=<path>" in text
    assert value(evaluated(odd, labels, mapped={"ranked_ids": "found[].id"})) == 0.5
    wrong = jsonl(tmp_path / "wrong.jsonl", [{"query_id": "q1", "target": "a"}])
    text = refused(InputError, log, wrong)
    assert "no column 'document_id' or 'relevant' (has: query_id, target)" in text
    assert "no such column" in refused(InputError, log, labels, mapped={"ranked": "found"})
    assert "no 'nothing' there" in refused(InputError, log, labels, mapped={"ranked_ids": "nothing"})


def test_labels_among_the_logs(labels: Path, log: Path) -> None:
    """Their file is no log: both errors say how labels are named."""
    for logs in ([log, labels], labels):
        assert "--labels" in refused(InputError, logs, labels)


def test_half_written_last_line(tmp_path: Path, labels: Path) -> None:
    """A last line that is cut off is counted apart and held against nobody; a whole one without newline counts."""
    cut = evaluated(jsonl(tmp_path / "cut.jsonl", [*GOOD, '{"event_id": "e3", "query'], end=""), labels, max_rejects=0)
    assert (cut["counts"]["events"], cut["counts"]["incomplete_tail"], cut["counts"]["rejected_lines"]) == (2, 1, 0)
    assert warned(cut, "incomplete_tail") == 1
    whole = evaluated(jsonl(tmp_path / "whole.jsonl", GOOD, end=""), labels)
    assert (whole["counts"]["events"], whole["counts"]["incomplete_tail"]) == (2, 0)


def test_bad_lines(tmp_path: Path, labels: Path) -> None:
    """Bad lines are counted with their place and reason; more than agreed, or --on-bad-line stop, refuses the log."""
    path = jsonl(
        tmp_path / "log.jsonl",
        [GOOD[0], "INFO start", "{broken", "[1, 2]", "null", '{"event_id": "e9", "query_id": "q1"}', GOOD[1]],
    )
    text = refused(InputError, path, labels)
    assert "5 of 7 records (71.4 %) rejected, limit 1 %" in text
    assert f"{path}:2" in refused(InputError, path, labels, on_bad_line="stop")
    result = evaluated(path, labels, max_rejects=0.9)
    assert (result["counts"]["events"], result["counts"]["rejected_lines"]) == (2, 5)
    places = {example for row in result["warnings"] if row["code"] == "rejected_lines" for example in row["examples"]}
    assert places == {f"{path}:2", f"{path}:3", f"{path}:6"}


def test_line_ends_and_bom(tmp_path: Path, labels: Path) -> None:
    """A byte order mark, CRLF, blank lines and a lone CR inside a value are no matter."""
    rows = [
        '﻿{"event_id": "e1", "query_id": "q1", "ranked_ids": ["a"]}\r',
        "",
        "  ",
        '{"event_id": "e2", "query_id": "q2", "ranked_ids": ["b"]}\r',
    ]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=0)
    assert (result["counts"]["events"], value(result)) == (2, 0.5)


def test_invalid_utf8(tmp_path: Path, labels: Path) -> None:
    """A line that is no UTF-8 is rejected by its own number; the lines around it count."""
    rows = [
        GOOD[0],
        '{"event_id": "e3", "query_id": "q1", "ranked_ids": ["\udcff"]}',
        '{"event_id": "e4", "query_id": "q1", "ranked_ids": ["\ufffd"]}',
        GOOD[1],
    ]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=0.5)
    assert (result["counts"]["events"], result["counts"]["rejected_lines"]) == (3, 1)
    assert [w["examples"] for w in result["warnings"] if w["code"] == "rejected_lines"] == [[f"{tmp_path / 'log.jsonl'}:2"]]


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "-5", "1e400", "1e30"])
def test_times_that_are_none(tmp_path: Path, labels: Path, bad: str) -> None:
    """A time, score or cost that cannot be one is left out, flagged and counted; the event stays (a large or negative score is one)."""
    line = f'{{"event_id": "e3", "query_id": "q1", "ranked_ids": ["a"], "total_ms": {bad}, "scores": [{bad}], "cost_usd": {bad}, "search_ms": {bad}}}'
    result = evaluated(jsonl(tmp_path / "log.jsonl", [*GOOD, line]), labels)
    assert result["counts"]["events"] == 3
    assert warned(result, "events_latency_invalid") == warned(result, "events_cost_invalid") == 1
    assert warned(result, "events_score_invalid") == (0 if bad in ("-5", "1e30") else 1)
    total = next(row for row in result["latency"] if row["stage"] == "total")
    assert (total["n"], total["n_missing"], total["max_ms"]) == (2, 1, 7.0)
    assert result["cost"][0]["cost_usd"] is None


def test_broken_times_in_parquet(tmp_path: Path, labels: Path) -> None:
    """The same in Parquet: flags of times, costs and scores are all counted."""
    rows = [
        {**GOOD[0], "total_ms": float("nan"), "scores": [float("inf"), 1.0], "cost_usd": -1.0},
        {**GOOD[1], "scores": [2.0, 1.0], "cost_usd": 0.5},
    ]
    result = evaluated(parquet(tmp_path / "log.parquet", rows), labels)
    assert [warned(result, f"events_{what}_invalid") for what in ("latency", "cost", "score")] == [1, 1, 1]
    assert result["cost"][0]["cost_usd"] == 0.5


def test_null_in_ids(tmp_path: Path, labels: Path) -> None:
    """An unknown id keeps its slot and is never right; a list of nothing else is unscorable and in no mean."""
    rows = [
        {"query_id": "q1", "ranked_ids": [None, "a"]},
        {"query_id": "q2", "ranked_ids": [None, None]},
        {"query_id": "q2", "ranked_ids": []},
    ]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels)
    assert value(result, "mrr", None) == 0.25
    counts = result["counts"]
    assert (counts["events_with_null_ids"], counts["unscorable_events"], counts["empty_rankings"]) == (2, 1, 1)


def test_event_without_ids(tmp_path: Path, labels: Path) -> None:
    """Results known by their text only are unscorable; a record without any result list is a reject, not an empty list."""
    rows = [*GOOD, {"query_id": "q1", "texts": ["one", "two"]}, {"query_id": "q1"}, {"query_id": "q1", "status": "error"}]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=0.5)
    counts = result["counts"]
    assert (counts["events"], counts["unscorable_events"], counts["rejected_lines"], counts["error_events"]) == (4, 1, 1, 1)
    assert value(result) == pytest.approx(2 / 3)


def test_k_beyond_the_list(log: Path, labels: Path) -> None:
    """k deeper than any logged list is computed and flagged."""
    result = evaluated(log, labels, k="2,10", metrics=("recall", "precision"))
    assert {(row["k"], row["truncated"]) for row in result["metrics"]} == {(2, False), (10, True)}
    assert value(result, "precision", 10) == 0.1
    assert warned(result, "truncated") == 1


@pytest.mark.parametrize("damage", ["truncated", "garbage", "zero bytes", "cut head"])
def test_corrupt_parquet(tmp_path: Path, labels: Path, damage: str) -> None:
    """A damaged Parquet file is named, exit 3, whatever stands beside it; an empty one is nothing."""
    good = parquet(tmp_path / "logs" / "a.parquet", GOOD)
    whole = good.read_bytes()
    bad = tmp_path / "logs" / "b.parquet"
    bad.write_bytes(
        {
            "truncated": whole[: len(whole) // 2],
            "garbage": whole[:60] + b"\x00" * 200 + whole[-50:],
            "zero bytes": b"",
            "cut head": whole[9:],
        }[damage]
    )
    assert str(bad) in refused(InputError, tmp_path / "logs", labels)


def test_cut_gzip(tmp_path: Path, labels: Path) -> None:
    """A compressed file that ends early keeps its whole lines; the rest is counted."""
    rows = [{"event_id": f"e{i}", "query_id": "q1", "ranked_ids": ["a", f"{i * 7919}"]} for i in range(2000)]
    text = jsonl(tmp_path / "log.jsonl", rows).read_bytes()
    packed = gzip.compress(text)
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(packed[: len(packed) * 3 // 4])
    result = evaluated(cut, labels)
    assert 0 < result["counts"]["events"] < 2000
    assert result["counts"]["rejected_lines"] + result["counts"]["incomplete_tail"] == 1


NASTY = [
    "it's",
    'say "hi"',
    "two\nlines",
    "tab\there",
    "\x1b[31mred\x1b[0m",
    "<script>alert(1)</script>",
    "'; drop table events; --",
    "a,b",
    " a ",
    "",
    "\u202e",
    "日本",
]


def test_ids_of_any_kind(tmp_path: Path) -> None:
    """Ids are exact text: quotes, newlines, escapes, HTML, SQL and white space join and come back as they are."""
    rows = [{"event_id": f"e{i}", "query_id": f"q{nasty}", "ranked_ids": [nasty + "x", nasty]} for i, nasty in enumerate(NASTY)]
    labels = [{"query_id": f"q{nasty}", "document_id": nasty} for nasty in NASTY]
    for given in (
        jsonl(tmp_path / "labels.jsonl", labels),
        parquet(tmp_path / "labels.parquet", labels),
        pa.Table.from_pylist(labels),
    ):
        result = evaluated(jsonl(tmp_path / "log.jsonl", rows), given, per_query=True)
        assert (value(result, k=1), value(result, k=2), value(result, "mrr", None)) == (0, 1, 0.5)
        assert {row["found"][0]["document_id"] for row in result["queries"]} == set(NASTY)


def test_unreadable_timestamps(tmp_path: Path, labels: Path) -> None:
    """A timestamp nobody understands rejects its event with the reason; events without one refuse windows, with the count."""
    rows = [{**GOOD[0], "timestamp": "2026-11-01T00:00:00Z"}, {**GOOD[1], "timestamp": "yesterday"}]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=0.5)
    assert (result["counts"]["events"], result["counts"]["rejected_lines"]) == (1, 1)
    text = refused(InputError, jsonl(tmp_path / "none.jsonl", [rows[0], GOOD[1]]), labels, window="day")
    assert "1 of 2 events have no timestamp" in text


def test_a_line_of_50_mb(tmp_path: Path, labels: Path) -> None:
    """One huge line is a record like any other."""
    rows = [GOOD[0], {**GOOD[1], "note": "x" * 50_000_000}, {"event_id": "e3", "query_id": "q1", "ranked_ids": ["a"]}]
    result = evaluated(jsonl(tmp_path / "log.jsonl", rows), labels, max_rejects=0)
    assert result["counts"]["events"] == 3
